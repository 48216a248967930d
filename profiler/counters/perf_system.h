#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace assay {

/// The kernel's interface to counters (perf_event_open(2)), as thin as possible, so that tests can
/// use a simulated kernel instead. What open() returns is an ordinary descriptor: closing it, or
/// passing it to a process that maps it, does not go through this class.
class PerfSystem {
 public:
  virtual ~PerfSystem() = default;

  /// Opens a counter. Returns a new descriptor, closed on exec, which the caller owns, or -1 with
  /// errno set. The event is counted on whatever processor `process` runs on; 0 means the calling
  /// thread. `group` is the descriptor of the group's leader, or -1 to lead a new group.
  virtual int open(const perf_event_attr& attributes, pid_t process, int group) = 0;
  /// Calls ioctl(2). Returns -1 with errno set if it fails.
  virtual int control(int descriptor, unsigned long request, std::uintptr_t argument) = 0;
  /// Calls read(2). Returns the number of bytes, or -1 with errno set if it fails.
  virtual ssize_t read(int descriptor, std::span<std::byte> buffer) = 0;
  /// The present content of an event's page; nothing, with errno set, if it cannot be mapped.
  virtual std::optional<perf_event_mmap_page> page_of(int descriptor) = 0;
};

/// The interface of the kernel that assay runs on.
PerfSystem& linux_perf();

}  // namespace assay
