#include "profiler/counters/perf_trial.h"

namespace assay {

void keep_busy() {
  constexpr int kIterations = 5000;
  volatile int iterations = kIterations;
  while (iterations > 0) iterations = iterations - 1;
}

PerfTrial try_counting(PerfSystem& system, std::span<const Event> events) {
  constexpr pid_t kThisThread = 0;
  PerfTrial trial;
  const auto opened = PerfGroup::open(system, events, kThisThread);
  if (const auto* failure = std::get_if<PerfOpenFailure>(&opened)) {
    trial.failure = *failure;
    return trial;
  }
  const auto& group = std::get<std::unique_ptr<PerfGroup>>(opened);
  trial.method = group->method();
  try {
    group->start();
    keep_busy();
    trial.counts = group->stop();
  } catch (const CounterError& error) {
    trial.lost = error.what();
  }
  return trial;
}

}  // namespace assay
