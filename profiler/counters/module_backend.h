#pragma once

#include "profiler/counters/backend.h"

namespace assay {

/// Stands for a kernel module of assay's that does not exist yet: it never works, and says so.
class ModuleBackend : public CounterBackend {
 public:
  std::string_view name() const override { return "module"; }
  Availability probe(int processor) override;
  /// Always throws EnvironmentError.
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;
};

}  // namespace assay
