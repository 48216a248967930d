#pragma once

#include "profiler/counters/backend.h"

namespace assay {

/// The time-stamp counter, a clock that every machine has. It does not count core cycles: how many
/// there are in a tick is found by the reference chain. It counts no events.
class TscBackend : public CounterBackend {
 public:
  std::string_view name() const override { return "tsc"; }
  Availability probe(int processor) override;
  Clock clock() override;
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;
};

}  // namespace assay
