#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/counters/counter_group.h"
#include "profiler/counters/event.h"
#include "profiler/counters/perf_system.h"
#include "profiler/support/descriptor.h"

namespace assay {

/// Whether the event occurs only in the kernel: context switches, migrations and tracepoints. The
/// kernel counts them from within itself, so that with exclude_kernel they would stay 0.
bool counts_in_kernel(const Event& event);

/// Which event of a group the kernel did not open, and why.
struct PerfOpenFailure {
  std::size_t place = 0;  ///< the event's index in the group
  int error = 0;          ///< the errno
};

/// Events that the kernel counts together, as one pinned group: either all of them are in counters
/// whenever the process runs, or the kernel puts the group into an error state, which lasts until
/// the next start(). User mode only is counted, except for the events of counts_in_kernel().
class PerfGroup : public CounterGroup {
 public:
  /// There must be at least one event. The process must be one that the caller traces; 0 means the
  /// calling thread. `system` must outlive the group. Throws EnvironmentError if pages cannot be
  /// mapped (perf_page.h).
  static std::variant<std::unique_ptr<PerfGroup>, PerfOpenFailure> open(
      PerfSystem& system, std::span<const Event> events, pid_t process);

  /// kRdpmc if the kernel allows RDPMC for every event of the group; else kAround.
  ReadMethod method() const override { return method_; }
  std::span<const std::string> names() const override { return names_; }
  std::span<const int> pages() const override;
  void start() override;
  /// If the process did not run meanwhile, all counts are 0.
  std::vector<std::uint64_t> stop() override;

 private:
  /// Times in nanoseconds that the process ran since the group was opened.
  struct Times {
    std::uint64_t enabled = 0;
    std::uint64_t running = 0;  ///< the part of that time with all events in counters
  };
  struct Reading {
    Times times;
    std::vector<std::uint64_t> counts;
  };

  explicit PerfGroup(PerfSystem& system) : system_(system) {}
  /// Adds an event to the group. Returns an errno, or 0 if it was opened.
  int add(const Event& event, pid_t process);
  void control(unsigned long request, std::uintptr_t argument, const char* what);
  Reading read();
  std::string list() const;

  PerfSystem& system_;
  std::vector<std::string> names_;
  std::vector<Descriptor> descriptors_;  ///< one for each event, the leader's first
  std::vector<int> numbers_;             ///< the numbers of descriptors_
  std::vector<std::uint64_t> ids_;       ///< the kernel's IDs, which tell the counts apart
  ReadMethod method_ = ReadMethod::kAround;
  Times times_;  ///< the times when the group was last read
};

}  // namespace assay
