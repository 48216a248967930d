#pragma once

#include "profiler/measurement/settings.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// Sampling by assay's own protocol. It takes at least kFewestPoints undisturbed points, however
/// long that takes. It goes on until the interval is as narrow and the canary as quick as the
/// settings ask for, or until the copies are surely not steady, or until the time for a block is
/// used up or surely would be without the interval becoming narrow enough to be accepted.
class AssaySampling : public Sampling {
 public:
  /// `budget` is the time for all undisturbed series. `settings` and `companions` must outlive the
  /// sampling.
  AssaySampling(SeriesPlan series, const Plan& plan, const Settings& settings,
                Companions& companions, std::chrono::nanoseconds budget)
      : series_(std::move(series)),
        settings_(settings),
        budget_(budget),
        estimator_(series_.round, sizes_in_copies(plan), companions) {}

  const SeriesPlan& series() const override { return series_; }
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted) override {
    return estimator_.add_series(readings, preempted);
  }
  std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const override;
  std::span<const SeriesPoint> points() const override { return estimator_.points(); }
  std::optional<Evaluation> evaluate() const override;
  Outcome judge(const Evaluation& evaluation, double floor) const override;
  Outcome judge_too_few() const override;

 private:
  bool enough() const;
  bool surely_unsteady() const;
  bool hopeless(std::chrono::nanoseconds spent) const;

  SeriesPlan series_;
  const Settings& settings_;
  std::chrono::nanoseconds budget_;
  Estimator estimator_;
};

}  // namespace assay
