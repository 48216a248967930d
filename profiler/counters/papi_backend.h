#pragma once

#include "profiler/counters/backend.h"
#include "profiler/counters/counter_passes.h"

namespace assay {

/// Core cycles and events by PAPI 7, under PAPI's names: presets ("PAPI_L1_DCM") and native events
/// of its component perf_event. They are read around series of runs.
///
/// PAPI shows no times of counters. It opens the events of a set as one pinned group, as PerfGroup
/// does, and never shares counters in time unless it is asked to, which is not done here: a set
/// that was not in counters all of the time gives an empty read, and PAPI_stop() an error (PAPI 7,
/// src/components/perf_event/perf_event.c, open_pe_events() and _pe_read()). So losses are told,
/// but on PAPI's word, and a set that was lost cannot be started again: PAPI does not stop it. The
/// clock perf compares the times itself.
///
/// PAPI is started with the first use, and never ended.
class PapiBackend : public CounterBackend {
 public:
  explicit PapiBackend(const PassLimits& limits = {}) : limits_(limits) {}

  std::string_view name() const override { return "papi"; }
  /// Counts the calling thread's own cycles.
  Availability probe(int processor) override;
  std::vector<EventRequest> test_events() const override;
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;

 private:
  PassLimits limits_;
  std::vector<EventRequest> events_;  ///< that `passes_` were found for
  std::vector<std::vector<EventRequest>> passes_;
};

/// The events, which PAPI knows, as one group that counts a process; 0 is the calling thread. At
/// least one event; nothing says that the first counts cycles. Throws InputError for an event that
/// PAPI does not count with those before it, and EnvironmentError for what else is wrong.
std::unique_ptr<CounterGroup> open_papi_group(std::span<const EventRequest> events, pid_t process);

}  // namespace assay
