#pragma once

#include "profiler/counters/backend.h"

namespace assay {

/// Counters by PAPI 7 (papi_group.h), under PAPI's names: its presets ("PAPI_L1_DCM") and the
/// native events of its component perf_event, which are libpfm4's. They are read around series of
/// runs.
class PapiBackend : public CounterBackend {
 public:
  std::string_view name() const override { return "papi"; }
  Availability probe(int processor) override;
  /// Throws EnvironmentError if PAPI cannot be used at all.
  std::vector<EventRequest> test_events() const override;
  /// When events are first asked for, how they share counters is found by counting a busy thread:
  /// events that PAPI and the kernel count together there form one group. The result is kept for
  /// later calls.
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;

 private:
  std::vector<EventRequest> events_;  ///< the events that passes_ were found for
  std::vector<std::vector<EventRequest>> passes_;
};

}  // namespace assay
