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

/// Whether an event happens in the kernel and nowhere else: context switches, migrations and
/// tracepoints. The kernel counts them from within itself: with exclude_kernel they would stay 0.
bool counts_in_kernel(const Event& event);

/// The event of a group that the kernel did not open, and why.
struct PerfOpenFailure {
  std::size_t place = 0;  ///< among the group's events
  int error = 0;          ///< errno
};

/// Events that the kernel counts together, as one pinned group: they all are in counters whenever
/// the process runs, or the kernel puts the group into an error state, in which it stays until the
/// next start(). Counts user mode only, but for what counts_in_kernel().
class PerfGroup : public CounterGroup {
 public:
  /// `events`: at least one. The process is one that the caller traces; 0 is the calling thread.
  /// `system` outlives the group. Throws EnvironmentError if pages cannot be mapped (perf_page.h).
  static std::variant<std::unique_ptr<PerfGroup>, PerfOpenFailure> open(
      PerfSystem& system, std::span<const Event> events, pid_t process);

  /// kRdpmc if the kernel says of every event that RDPMC may read it; else kAround.
  ReadMethod method() const override { return method_; }
  std::span<const std::string> names() const override { return names_; }
  std::span<const int> pages() const override;
  void start() override;
  /// Of a process that did not run meanwhile, all counts are 0.
  std::vector<std::uint64_t> stop() override;

 private:
  /// In nanoseconds that the process ran, since the group was opened.
  struct Times {
    std::uint64_t enabled = 0;
    std::uint64_t running = 0;  ///< with all of its events in counters
  };
  struct Reading {
    Times times;
    std::vector<std::uint64_t> counts;
  };

  explicit PerfGroup(PerfSystem& system) : system_(system) {}
  /// An errno, or 0.
  int add(const Event& event, pid_t process);
  void control(unsigned long request, std::uintptr_t argument, const char* what);
  Reading read();
  std::string list() const;

  PerfSystem& system_;
  std::vector<std::string> names_;
  std::vector<Descriptor> descriptors_;  ///< the leader's first
  std::vector<int> numbers_;             ///< theirs
  std::vector<std::uint64_t> ids_;       ///< by which the kernel tells their counts apart
  ReadMethod method_ = ReadMethod::kAround;
  Times times_;  ///< when it was last read
};

}  // namespace assay
