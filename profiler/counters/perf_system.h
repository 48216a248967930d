#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace assay {

/// The kernel's interface to counters (perf_event_open(2)), as thin as it can be, so that tests can
/// put a simulated kernel in its place. What open() gives is a descriptor like any other: it is
/// closed, and passed on to who maps it, without asking here.
class PerfSystem {
 public:
  virtual ~PerfSystem() = default;

  /// A new descriptor, closed on exec, which the caller owns; -1 with errno set if there is none.
  /// The event is counted on any processor that `process` runs on; 0: the calling thread. `group`:
  /// the descriptor of the group's leader; -1 to lead a new group.
  virtual int open(const perf_event_attr& attributes, pid_t process, int group) = 0;
  /// ioctl(2): -1 with errno set if it fails.
  virtual int control(int descriptor, unsigned long request, std::uintptr_t argument) = 0;
  /// read(2): how many bytes there were; -1 with errno set if it fails.
  virtual ssize_t read(int descriptor, std::span<std::byte> buffer) = 0;
  /// What an event's page says now; nothing, with errno set, if it cannot be mapped.
  virtual std::optional<perf_event_mmap_page> page_of(int descriptor) = 0;
};

/// The kernel that assay runs on.
PerfSystem& linux_perf();

}  // namespace assay
