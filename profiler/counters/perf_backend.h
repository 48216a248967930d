#pragma once

#include <filesystem>

#include "profiler/counters/backend.h"
#include "profiler/counters/event_encoder.h"
#include "profiler/counters/perf_passes.h"
#include "profiler/counters/perf_system.h"

namespace assay {

/// Core cycles and events from the CPU's own counters, by the kernel's perf_event_open(2). They are
/// read by RDPMC in the generated kernels if the system allows that, and otherwise around series of
/// runs.
class PerfBackend : public CounterBackend {
 public:
  /// `system` must outlive the backend and its groups. `root` is the folder that holds proc and
  /// sys.
  explicit PerfBackend(PerfSystem& system = linux_perf(), std::filesystem::path root = "/",
                       const PassLimits& limits = {});

  std::string_view name() const override { return "perf"; }
  /// Tries it by counting the calling thread's own cycles.
  Availability probe(int processor) override;
  std::vector<EventRequest> test_events() const override;
  /// How events share counters is found when they are first asked for, and kept for later calls.
  std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                  std::span<const EventRequest> events) override;
  /// Whether both are the same event to the kernel, as a name and a code may be.
  bool same_event(const EventRequest& one, const EventRequest& other) const override;

 private:
  /// The groups of events that are opened for each process.
  struct Passes {
    int processor = -1;
    std::vector<EventRequest> events;  ///< the events that the passes were found for
    std::vector<PerfPass> passes;      ///< the first is the clock's
  };

  Availability count_this_thread();
  Event core_cycles() const;
  EventEncoder encoder() const;
  std::vector<PerfPass> find_passes(std::span<const EventRequest> events) const;
  std::unique_ptr<CounterGroup> open_pass(const PerfPass& pass, pid_t process) const;

  PerfSystem& system_;
  std::filesystem::path root_;
  PassLimits limits_;
  int processor_ = 0;  ///< the processor of the last probe() or open()
  Passes found_;
};

}  // namespace assay
