#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/protocol/fixed_estimate.h"
#include "profiler/protocol/fixed_recipe.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// Sampling by another tool's protocol: as many undisturbed runs of each size as its recipe asks
/// for. The other tools look for a busy neighbour by counters, or not at all; here the reference
/// and the canary run in every round as in assay's own protocol, since a run that a neighbour
/// disturbed is wrong whatever protocol it is for.
class FixedSampling : public Sampling {
 public:
  /// `rounds` is the number of rounds in a series. The ratio of `scale` is replaced by that of the
  /// series. If the canary was slower by more than `accept_slowdown` over all series, they are all
  /// left out. `floor` is as in PlannedRuns. `recipe` and `companions` must outlive the sampling.
  FixedSampling(const FixedRecipe& recipe, std::uint32_t rounds, const FixedScale& scale,
                double floor, Companions& companions, double accept_slowdown);

  const SeriesPlan& series() const override { return series_; }
  /// Adds a series; readings beyond those that the recipe asks for are left out.
  SeriesFate add_series(const SampledSeries& series) override;
  std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const override;
  bool start_over() override;
  std::span<const SeriesPoint> points() const override { return points_; }
  std::optional<Evaluation> evaluate() const override;
  Outcome judge(const Evaluation& evaluation) const override;
  Outcome judge_too_few() const override;

 private:
  std::size_t wanted() const;
  bool complete() const { return readings_.large.size() >= wanted(); }
  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  FixedEstimate estimate() const;
  FixedScale scale() const;
  CyclesPerReading ratio() const;
  double slowdown() const;

  const FixedRecipe& recipe_;
  SeriesPlan series_;
  FixedScale scale_;
  double floor_;
  Companions& companions_;
  double accept_slowdown_;
  SizedReadings readings_;  ///< of the undisturbed series
  std::vector<SeriesPoint> points_;
};

/// How many rounds a series has, from 2 to 16, so that the subject keeps within its time limit even
/// if a run of the larger size takes `large`.
std::uint32_t fixed_rounds(const FixedRecipe& recipe, Cycles large);

}  // namespace assay
