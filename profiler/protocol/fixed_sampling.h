#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/protocol/fixed_estimate.h"
#include "profiler/protocol/fixed_recipe.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// Samples of another tool's protocol: as many undisturbed runs of each size as its recipe asks
/// for. The other tools look for a busy neighbour by counters, or not at all; here the reference
/// and the canary run in their rounds as in assay's own, since a run beside a neighbour is as wrong
/// whatever is made of it.
class FixedSampling : public Sampling {
 public:
  /// `rounds`: of a series. `scale`: its ratio is replaced by that of the series.
  /// `accept_slowdown`: of the canary over all of them; if it was slower, they are all left out.
  /// `recipe` and `companions` must outlive it.
  FixedSampling(const FixedRecipe& recipe, std::uint32_t rounds, const FixedScale& scale,
                Companions& companions, double accept_slowdown);

  const SeriesPlan& series() const override { return series_; }
  /// What is more than the recipe asks for is left out.
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted) override;
  std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const override;
  bool start_over() override;
  std::span<const SeriesPoint> points() const override { return points_; }
  std::optional<Evaluation> evaluate() const override;
  Outcome judge(const Evaluation& evaluation, double floor) const override;
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
  Companions& companions_;
  double accept_slowdown_;
  SizedReadings readings_;  ///< undisturbed ones
  std::vector<SeriesPoint> points_;
};

/// Rounds of a series that keep the subject within its time limit even if one run of the larger
/// size takes so long: 2 to 16.
std::uint32_t fixed_rounds(const FixedRecipe& recipe, Cycles large);

}  // namespace assay
