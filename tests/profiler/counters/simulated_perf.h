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

/// A kernel and a CPU that has counters, for machines that have none, and for what no machine does
/// on demand. Groups are opened, started, stopped and read as by perf_event_open(2); every event
/// has a real page (perf_event_mmap_page), which any process can map by the descriptor. Nothing
/// follows the process: it counts as if it ran, and nobody else, from start to stop.
class SimulatedPerf : public PerfSystem {
 public:
  SimulatedPerf();
  ~SimulatedPerf() override;

  // What the CPU has. Events of all types but the kernel's own take one counter each.
  int counters = 6;  ///< a group of more is not opened (EINVAL)
  /// Of these, in the hands of somebody whom the kernel does not think of when a group is opened,
  /// such as its NMI watchdog: groups that need them are opened, and do not count.
  int held = 0;
  bool rdpmc = true;              ///< pages allow it
  std::uint32_t first_index = 1;  ///< pages' indices count up from here, by place in the group
  /// What the counter of an event stands at now, from whatever start: asked when a group starts and
  /// when it stops. As long as nobody sets it: 1000 more each time.
  std::function<std::uint64_t(const perf_event_attr&)> counter;

  // What goes wrong.
  int open_error = 0;  ///< errno of every open
  /// errno of opening events of such a type and config.
  std::map<std::pair<std::uint32_t, std::uint64_t>, int> event_errors;
  int page_error = 0;                   ///< errno of mapping pages in the monitor
  std::size_t descriptor_limit = 1000;  ///< events that may be opened in all; then EMFILE
  double running_share = 1;             ///< of the time that groups count; less: multiplexed
  bool process_runs = true;             ///< if not, no time passes and nothing counts
  bool short_reads = false;             ///< the last count is missing
  bool forgets_an_event = false;        ///< one count fewer, and says so
  bool swaps_ids = false;

  /// What was opened so far, in order, whether it worked or not.
  struct Opening {
    perf_event_attr attributes;
    pid_t process;
    int group;
  };
  std::vector<Opening> openings;

  /// The page of an open event: what it says can be changed behind everybody's back.
  perf_event_mmap_page& page(int descriptor);
  /// What the kernel does at a switch of processes: all counters that count now are taken out and
  /// put in again, `shift` further. Their pages' indices and locks change.
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
