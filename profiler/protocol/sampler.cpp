#include "profiler/protocol/sampler.h"

#include <algorithm>

namespace assay {

SamplingEnd Sampler::run(Estimator& estimator, Nanoseconds patience) {
  Nanoseconds spent{};
  Nanoseconds waited{};
  while (waited < patience) {
    if (enough(estimator)) return SamplingEnd::kEnough;
    if (spent >= settings_.sampling_budget && estimator.series() >= kFewestSeries) {
      return SamplingEnd::kBudget;
    }
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
      waited += taken;
      environment_.waiting(waited);
    }
  }
  return SamplingEnd::kPatience;
}

bool Sampler::enough(const Estimator& estimator) const {
  return estimator.series() >= kFewestSeries && estimator.slowdown() <= settings_.accept_slowdown &&
         is_narrow(estimator.estimate(), settings_.target_relative, settings_.target_cycles);
}

bool is_narrow(const Estimate& estimate, double relative, double cycles) {
  return estimate.half_width <= std::max(relative * estimate.cycles, cycles);
}

}  // namespace assay
