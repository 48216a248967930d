#include "profiler/sampling/sampler.h"

#include <algorithm>
#include <cmath>

namespace assay {

SamplingEnd Sampler::run(Estimator& estimator, Nanoseconds patience) {
  Nanoseconds spent{};
  while (waited_ < patience) {
    if (enough(estimator)) return SamplingEnd::kEnough;
    if (surely_unsteady(estimator)) return SamplingEnd::kUnsteady;
    if (spent >= settings_.sampling_budget && estimator.count() >= kFewestPoints) {
      return SamplingEnd::kBudget;
    }
    if (hopeless(estimator, spent)) return SamplingEnd::kHopeless;
    const Time start = environment_.now();
    SampledSeries series = environment_.source();
    if (series.fault) {
      fault_ = std::move(series.fault);
      return SamplingEnd::kFault;
    }
    const SeriesFate fate = estimator.add_series(series.readings, series.preempted);
    const Nanoseconds taken = environment_.now() - start;
    if (fate == SeriesFate::kTaken) {
      spent += taken;
    } else {
      waited_ += taken;
      environment_.waiting(waited_);
    }
  }
  return SamplingEnd::kPatience;
}

bool Sampler::enough(const Estimator& estimator) const {
  return estimator.count() >= kFewestPoints && estimator.slowdown() <= settings_.accept_slowdown &&
         is_narrow(estimator.estimate(), settings_.target_relative, settings_.target_cycles);
}

/// The interval narrows with the root of the time.
bool Sampler::hopeless(const Estimator& estimator, Nanoseconds spent) const {
  // By then points that are far and rare are left out: what scatters now will go on to.
  constexpr int kPointsToTell = 48;
  constexpr double kDoubt = 1.5;
  if (estimator.count() < kPointsToTell) return false;
  Estimate end = estimator.estimate();
  end.half_width *= std::sqrt(static_cast<double>(spent.count()) /
                              static_cast<double>(Nanoseconds(settings_.sampling_budget).count()));
  end.half_width /= kDoubt;
  return !is_narrow(end, settings_.accept_relative, settings_.accept_cycles);
}

bool Sampler::surely_unsteady(const Estimator& estimator) const {
  constexpr double kSurely = 2;  // intervals
  if (estimator.count() < kFewestPoints) return false;
  Steadiness steadiness = estimator.steadiness();
  steadiness.half_width *= kSurely;
  return !is_steady(steadiness, settings_);
}

bool is_narrow(const Estimate& estimate, double relative, double cycles) {
  return estimate.half_width <= std::max(relative * estimate.cycles, cycles);
}

}  // namespace assay
