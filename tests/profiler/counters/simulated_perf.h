#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "profiler/counters/perf_system.h"

namespace assay {

/// A simulated kernel and CPU with counters, for machines that have none, and for things that no
/// machine does on demand. Groups are opened, started, stopped and read as with perf_event_open(2);
/// every event has a real page (perf_event_mmap_page), which any process can map by the descriptor.
/// The counters do not follow the process: they count as if it alone ran all the time from start to
/// stop.
class SimulatedPerf : public PerfSystem {
 public:
  SimulatedPerf();
  ~SimulatedPerf() override;

  // What the CPU has. Every event takes one counter, except the kernel's own.
  int counters = 6;  ///< a group of more events is not opened (EINVAL)
  /// How many of the counters somebody else holds without the kernel noticing when it opens a
  /// group, such as its NMI watchdog: groups that need them are opened, but do not count.
  int held = 0;
  bool rdpmc = true;              ///< pages say that RDPMC may be used
  std::uint32_t first_index = 1;  ///< index in the page of a group's first event; others follow
  /// The present value of an event's counter, asked when a group starts and when it stops. Unless a
  /// test sets it, each value is 1000 more than the last.
  std::function<std::uint64_t(const perf_event_attr&)> counter;

  // What goes wrong.
  int open_error = 0;  ///< errno of opening any event; 0: none
  /// errno of opening events of such a type and config.
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> event_errors;
  int page_error = 0;                   ///< errno of mapping pages in the monitor
  std::size_t descriptor_limit = 1000;  ///< events that may be opened in all; then EMFILE
  double running_share = 1;             ///< share of the time that groups count; < 1: multiplexed
  bool process_runs = true;             ///< if false, no time passes and nothing counts
  bool short_reads = false;             ///< reads lack the last count
  bool forgets_an_event = false;        ///< reads have one count fewer, and say so
  bool swaps_ids = false;

  /// An attempt to open an event, whether it worked or not.
  struct Opening {
    perf_event_attr attributes;
    pid_t process;
    int group;
  };
  std::vector<Opening> openings;

  /// The page of an open event, which a test may change at any time.
  perf_event_mmap_page& page(int descriptor);
  /// Does what the kernel does at a context switch: all counters that count now are taken out and
  /// put in again, with indices that are `shift` greater. The indices and locks in their pages
  /// change.
  void move_counters(std::uint32_t shift);

  int open(const perf_event_attr& attributes, pid_t process, int group) override;
  int control(int descriptor, unsigned long request, std::uintptr_t argument) override;
  ssize_t read(int descriptor, std::span<std::byte> buffer) override;
  std::optional<perf_event_mmap_page> page_of(int descriptor) override;

 private:
  struct Counter;

  int errno_of(const perf_event_attr& attributes, int group) const;
  std::vector<Counter*> group_of(int leader);
  void enable(int leader);
  void disable(int leader);
  void show(Counter& counter, std::uint32_t index);

  std::map<int, std::unique_ptr<Counter>> counters_;  ///< by descriptor
  std::uint64_t next_id_ = 1;
  std::uint64_t default_counter_ = 0;
};

}  // namespace assay
