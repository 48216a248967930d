#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/error.h"

namespace assay {

/// The machine's counters do not count as they must: not all of the time, or not the right thing.
/// What such a counter read is never scaled up: there is no number then.
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
/// The method's name: "rdtsc", "rdpmc" or "around".
std::string_view name(ReadMethod method);

/// Counters of one process that count together, in user mode only: all of them whenever the process
/// runs between start() and stop(), or it is an error.
class CounterGroup {
 public:
  virtual ~CounterGroup() = default;

  virtual ReadMethod method() const = 0;
  /// What each counter counts. The first counts core cycles, or ticks of the time-stamp counter if
  /// the method is kTsc.
  virtual std::span<const std::string> names() const = 0;
  /// If the method is kRdpmc, a descriptor for each counter's page (perf_event_mmap_page), which
  /// the process maps to learn where the counter may be read. The group owns the descriptors.
  virtual std::span<const int> pages() const { return {}; }

  /// Call this while the process is stopped: all counters count from 0 once it continues.
  virtual void start() = 0;
  /// Call this while the process is stopped again: ends counting and returns what each counter
  /// counted; nothing if the method is kTsc. Throws CounterError if a counter was not counting all
  /// the time that the process ran.
  virtual std::vector<std::uint64_t> stop() = 0;
};

}  // namespace assay
