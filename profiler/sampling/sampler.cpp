#include "profiler/sampling/sampler.h"

#include <utility>

namespace assay {

SamplingResult sample(Sampling& sampling, const SamplingEnvironment& environment,
                      std::chrono::nanoseconds patience) {
  SamplingResult result;
  std::chrono::nanoseconds spent{};
  while (result.waited < patience) {
    const auto start = environment.now();
    SampledSeries series = environment.source();
    if (series.fault) {
      result.end = SamplingEnd::kFault;
      result.fault = std::move(series.fault);
      return result;
    }
    const SeriesFate fate = sampling.add_series(series);
    const bool taken = fate == SeriesFate::kTaken;
    (taken ? spent : result.waited) += environment.now() - start;
    const bool starts_over = sampling.start_over();
    // The time of series that are discarded counts as waiting.
    if (starts_over) result.waited += std::exchange(spent, {});
    if (!taken || starts_over) environment.waiting(result.waited);
    if (const auto end = sampling.end(spent)) {
      result.end = *end;
      return result;
    }
  }
  return result;
}

}  // namespace assay
