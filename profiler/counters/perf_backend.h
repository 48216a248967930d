#pragma once

#include <filesystem>

#include "profiler/counters/backend.h"
#include "profiler/counters/event_encoder.h"
#include "profiler/counters/perf_passes.h"
#include "profiler/counters/perf_system.h"

namespace assay {

/// Core cycles and events from the CPU's own counters, by the kernel's perf_event_open(2). They are
/// read by RDPMC in the kernels where the system allows it, else around series of runs.
class PerfBackend : public CounterBackend {
 public:
  /// `system` outlives the backend and its groups. `root`: where the kernel's files are.
  explicit PerfBackend(PerfSystem& system = linux_perf(), std::filesystem::path root = "/",
                       const PassLimits& limits = {});

  std::string_view name() const override { return "perf"; }
  /// Counts the calling thread's own cycles.
  Availability probe(int processor) override;
  std::vector<EventRequest> test_events() const override;
  /// How events share counters is found when they are first asked for, and kept.
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;
  /// Those that are the same to the kernel: a name and a code may be.
  bool same_event(const EventRequest& one, const EventRequest& other) const override;

 private:
  /// What is opened for each process.
  struct Passes {
    int processor = -1;
    std::vector<EventRequest> events;  ///< that they were found for
    std::vector<PerfPass> passes;      ///< the clock's first
  };

  Availability count_this_thread();
  Event core_cycles() const;
  EventEncoder encoder() const;
  std::vector<PerfPass> find_passes(std::span<const EventRequest> events) const;
  std::unique_ptr<CounterGroup> open_pass(const PerfPass& pass, pid_t process) const;

  PerfSystem& system_;
  std::filesystem::path root_;
  PassLimits limits_;
  int processor_ = 0;  ///< of the last probe() or open()
  Passes found_;
};

}  // namespace assay
