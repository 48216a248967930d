#include "profiler/counters/module_backend.h"

#include "profiler/counters/perf_refusal.h"

namespace assay {

Availability ModuleBackend::probe(int) {
  return {false, "assay has no kernel module yet", "use the clock perf, papi or tsc"};
}

std::vector<std::unique_ptr<CounterGroup>> ModuleBackend::open(pid_t, int processor,
                                                               std::span<const EventRequest>) {
  throw EnvironmentError(describe(probe(processor)));
}

}  // namespace assay
