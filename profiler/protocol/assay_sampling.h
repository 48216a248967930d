#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "profiler/measurement/settings.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// Sampling by assay's own protocol. Each of its series runs the block at some alignments, in turn,
/// and it takes at least one undisturbed series of each, however long that takes. It goes on until
/// the interval is as narrow as the settings aim at (after many series: as they accept) and does
/// not reach from below the floor to above it, the canary is as quick as they ask for, and the
/// copies are surely steady; or until these are surely not; or until the time for a block is used
/// up, or surely would be without that.
class AssaySampling : public Sampling {
 public:
  /// The series for a block whose runs scatter so (plan_series()), always as many.
  using Planner = std::function<std::vector<SeriesPlan>(double run_variance)>;

  /// The series that `planner` gives are run in turn. It is asked for those of a block whose runs
  /// scatter as usual, and again where this block's turn out to scatter more. `floor` is as in
  /// PlannedRuns. `budget` is the time for all undisturbed series, which are of the pass
  /// `first_pass` (SeriesPlan::pass) and those behind it. `settings` and `companions` must outlive
  /// the sampling.
  AssaySampling(Planner planner, double usual_variance, const Plan& plan, double floor,
                const Settings& settings, Companions& companions, std::chrono::nanoseconds budget,
                std::uint32_t first_pass = 0);

  const SeriesPlan& series() const override;
  SeriesFate add_series(const SampledSeries& series) override;
  std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const override;
  std::span<const SeriesPoint> points() const override { return estimator_.points(); }
  std::optional<Evaluation> evaluate() const override;
  Outcome judge(const Evaluation& evaluation) const override;
  Outcome judge_too_few() const override;

 private:
  void begin_pass();
  void enter_pass(std::uint32_t pass);
  bool enough(const Estimate& estimate) const;
  bool hopeless(const Estimate& estimate, const Steadiness& steadiness,
                std::chrono::nanoseconds spent) const;

  Planner planner_;
  double usual_variance_;
  double planned_variance_;         ///< for which series_ are planned
  std::vector<SeriesPlan> series_;  ///< of each part of the alignments, in this pass
  Plan plan_;
  double floor_;
  const Settings& settings_;
  std::chrono::nanoseconds budget_;
  std::uint32_t first_pass_;
  /// How many more copies the largest size has than the smallest, where the first-level data cache
  /// has no room for more; else 0.
  Copies added_within_cache_;
  bool can_be_raised_;  ///< whether there is a larger plan than this one
  Estimator estimator_;
};

}  // namespace assay
