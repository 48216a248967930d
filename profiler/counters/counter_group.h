#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/error.h"

namespace assay {

/// The machine's counters do not count as they must: not all of the time, or not what they should.
/// A number from such a counter is never scaled up; it does not exist.
class CounterError : public EnvironmentError {
 public:
  using EnvironmentError::EnvironmentError;
};

/// How the counters of a group are read.
enum class ReadMethod {
  kTsc,     ///< by RDTSC, in the kernels, before and behind the copies
  kRdpmc,   ///< by RDPMC, in the kernels, before and behind the copies
  kAround,  ///< by the monitor, before and after a whole series of runs
};
/// "rdtsc", "rdpmc" or "around".
std::string_view name(ReadMethod method);

/// Counters of one process that count together, user mode only: all of them whenever it runs
/// between start() and stop(), or it is an error.
class CounterGroup {
 public:
  virtual ~CounterGroup() = default;

  virtual ReadMethod method() const = 0;
  /// What each counts. The first counts core cycles, or ticks of the time-stamp counter where the
  /// method is kTsc.
  virtual std::span<const std::string> names() const = 0;
  /// Where the method is kRdpmc: for each counter a descriptor of its page (perf_event_mmap_page),
  /// which the process maps to learn where it may be read. The group owns them.
  virtual std::span<const int> pages() const { return {}; }

  /// While the process is stopped: all counters count on from 0 once it goes on.
  virtual void start() = 0;
  /// While it is stopped again: ends counting, and gives what each counted; nothing where the
  /// method is kTsc. Throws CounterError if a counter was not counting all the time that the
  /// process ran.
  virtual std::vector<std::uint64_t> stop() = 0;
};

}  // namespace assay
