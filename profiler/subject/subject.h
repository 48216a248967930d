#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "profiler/subject/deadline.h"
#include "profiler/subject/fault.h"
#include "profiler/subject/launch.h"
#include "profiler/subject/shared_memory.h"
#include "profiler/subject/wait_status.h"

namespace assay::subject {

/// What bounds a block.
struct Limits {
  int pages = 128;  ///< mapped for one block; at most kMaxPages
  /// Of the subject's processor time for each stretch between two of its stops.
  std::chrono::nanoseconds time{std::chrono::milliseconds(100)};
};

/// Where a series' kernels read their counters by RDPMC: what has to stand in the counters' pages.
struct CounterWatch {
  std::uint32_t first_page = 0;  ///< by its place among those that the subject was started with
  /// `index` of its perf_event_mmap_page and of those behind it, at most kMaxCounters: one more
  /// than what RDPMC takes. 0 is never as expected: a series that expects it tells where the
  /// counters are and runs nothing. Empty: there is nothing to watch.
  std::span<const std::uint32_t> indices;
};

/// Kernels to run in turn, `rounds` times each.
struct Series {
  std::span<const std::uint64_t> kernels;  ///< entries in the code area; 1 to kMaxKernels
  std::uint32_t rounds = 1;                ///< rounds * kernels * counters is at most kMaxReadings
  /// Bit i: the frames are filled with `fill_word`s before each run of kernel i. They hold them too
  /// when the first page is mapped onto them.
  std::bitset<kMaxKernels> refill_mask = std::bitset<kMaxKernels>{}.set();
  std::uint64_t fill_word = 0;
  std::uint64_t segment_base = 0;  ///< FS and GS base
  /// Random delays before runs are of 0 to so many turns of a one-cycle loop; 2^k - 1.
  std::uint32_t phase_mask = 127;
  /// Onto which missing pages are mapped, by page number (layout.h): 1 to kMaxFrames, and the same
  /// until unmap_all().
  int frames = 1;
  std::uint32_t counters = 1;  ///< counts that each kernel stores (Kernel::counts)
  CounterWatch watch = {};
  /// Bit i: the first-level data cache is filled with other lines before each run of kernel i, so
  /// that those of the block come to lie elsewhere in it.
  std::bitset<kMaxKernels> eviction_mask = {};
};

/// Bytes of virtual memory.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct SeriesResult {
  std::optional<Fault> fault;  ///< what ended it early; there are no readings then
  /// Pages that were missing and have been mapped meanwhile. The readings hold the time that took:
  /// run again for clean ones.
  int pages_mapped = 0;
  /// The kernel took the processor away from the subject meanwhile, by its own count.
  bool preempted = false;
  /// After narrow_refills(), a kernel wrote to what is not refilled: some runs may have found what
  /// others left. The frames are whole again, and are refilled as a whole from now on: run again.
  bool stale = false;
  /// A watched counter was not where it was expected, and nothing ran; or the kernel of the system
  /// did something to it meanwhile, as it does when it takes the processor away. There are no
  /// readings then: run again, with other kernels if `indices` are not the expected ones.
  bool counters_moved = false;
  /// Those of the watched pages, when they were last looked at; 0 for a counter that did not count,
  /// or may not be read by RDPMC. Lies in shared memory: valid until the next series.
  std::span<const std::uint32_t> indices;
  /// Counts, or ticks, by round, then by kernel, then by counter, modulo 2^32. Lies in shared
  /// memory as well.
  std::span<const std::uint32_t> readings;
};

/// The process in which kernels run, with the thread that made it as its monitor: every call must
/// come from that thread. A fault in a series leaves the subject ready for the next series. If it
/// is damaged or dead (a fault of reason kSubjectDamaged), it must be replaced by a new one; the
/// code area is part of it and has to be loaded again. The destructor ends the process.
class Subject {
 public:
  /// Throws EnvironmentError when the machine does not allow it, or what `open_counters` throws
  /// (launch.h). The counters whose pages it has go on existing until it ends.
  explicit Subject(const OpenCounters& open_counters = {});
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Copies machine code to kCode + `offset`. `offset` + size is at most kCodeSize.
  void load_code(std::uint64_t offset, std::span<const std::uint8_t> code);

  /// Runs the series. Pages that are missing are mapped onto frames and execution goes on at the
  /// instruction that missed them. Throws EnvironmentError when the system itself fails.
  SeriesResult run(const Series& series, const Limits& limits);

  /// What the latest run of a traced kernel recorded (codegen/traced_kernel.h). Lies in shared
  /// memory: valid until the next run of another.
  std::span<const std::uint64_t> trace() const { return memory_.trace(); }

  /// Has the page of an address that a block may come to mapped at the start of the next series,
  /// which costs far less than a stop; unless it is mapped, or cannot be, or there are enough. Not
  /// while a series runs.
  void expect(std::uint64_t address, const Limits& limits);
  /// Takes those pages back, mapped or not yet, for which `needed` is false; it is given their
  /// addresses. Not while a series runs.
  void keep_only(const std::function<bool(std::uint64_t)>& needed);

  /// From now on only what the latest run of the latest series left changed is refilled, in each
  /// frame from the first line to the last, which is most often much less than the frame. Until
  /// unmap_all(). Call it when that run changed all that any later one will; after each series it
  /// is looked at whether it was so.
  /// `writes`: what is known to be written to besides, though it may hold the fill again by then.
  void narrow_refills(std::span<const MemoryRange> writes);

  /// Unmaps every page that was mapped onto a frame: the state before a block. At the start of the
  /// next series, unless that one expects the page again.
  void unmap_all();
  /// Mapped onto frames for this block, or expected.
  int pages() const { return static_cast<int>(pages_.size()); }

  /// The process, to look at it from outside.
  pid_t pid() const { return pid_; }

  /// Where a machine has no counters, RDPMC faults. What is given here is asked then, with the
  /// registers at the instruction, and may do its work: change them, RIP included, and return true,
  /// upon which the kernel goes on. Kernels that read counters are tested so. Not for measuring:
  /// every reading takes a stop.
  using RdpmcEmulator = std::function<bool(user_regs_struct&)>;
  void emulate_rdpmc(RdpmcEmulator emulator) { emulator_ = std::move(emulator); }

  /// Ticks of the time-stamp counter for which it ran series that came to their end, and its stops
  /// so far.
  std::uint64_t series_ticks() const { return series_ticks_; }
  std::int64_t stops() const { return stops_; }

  /// A stop and a continuation with nothing to do between: what every remote call costs at least.
  void round_trip();

 private:
  enum class StopKind { kDone, kSignal, kTimeLimit, kDead };
  struct Stop {
    StopKind kind;
    siginfo_t signal;
    user_regs_struct registers;
  };

  Stop call(std::uint64_t entry, std::uint64_t stack_top, std::uint64_t segment_base,
            std::chrono::nanoseconds limit);
  Stop resume(const user_regs_struct& registers, std::chrono::nanoseconds limit);
  Stop wait_for_stop(std::chrono::nanoseconds limit);
  Stop interrupt();
  std::optional<Stop> interpret(WaitStatus status);
  WaitStatus wait_interruptibly(std::chrono::nanoseconds limit, bool& timed_out);
  std::chrono::nanoseconds processor_time() const;
  void continue_process();

  /// What the stop means for the block; nothing if the cause is mended, and the subject may go on
  /// with the stop's registers.
  std::optional<Fault> fault_of(Stop& stop, const Limits& limits, int& pages_mapped);
  bool emulated(Stop& stop, std::span<const std::uint8_t> code);
  std::optional<Fault> supply_page(const Stop& stop, const Limits& limits);
  std::optional<int> map_page(std::uint64_t page);  ///< errno; nothing if the subject is gone
  /// Calls an entry of the program. If it does not come to its end, the program is damaged: the
  /// subject is ended then, and every later series reports that.
  bool request_from_program(std::uint64_t entry);
  bool read_registers(Stop& stop);  ///< false if the subject has been killed meanwhile
  void end();
  void list_fills();
  std::optional<std::uint64_t> page_on(std::uint64_t offset) const;
  bool wrote_elsewhere() const;
  void check(const Series& series, const Limits& limits) const;
  void make_ready(const Series& series);
  void request_pages();
  Stop start(const Series& series, const Limits& limits);
  bool is_expected(std::uint64_t page) const;
  void request_series(const Series& series);
  /// Of a series that came to its end.
  void read_result(const Series& series, SeriesResult& result);
  bool damaged(std::uint64_t samples) const;
  std::span<const std::uint8_t> code_at(std::uint64_t rip) const;

  SharedMemory memory_;
  Deadline deadline_;
  pid_t pid_ = -1;
  bool alive_ = false;
  user_regs_struct start_registers_{};
  Control expected_{};  ///< what the control area must hold up to phase_state
  RdpmcEmulator emulator_;
  std::vector<std::uint64_t> pages_;           ///< that the block has
  std::vector<std::uint64_t> expected_pages_;  ///< those of them that are not mapped yet
  std::vector<std::uint64_t> left_pages_;      ///< mapped for a block before, to be unmapped
  int frames_ = 1;                             ///< that all of them are mapped onto, or will be
  /// What is refilled of each frame, in words from its start.
  struct Refilled {
    std::size_t first = 0;
    std::size_t end = kPageSize / sizeof(std::uint64_t);
  };
  std::array<Refilled, kMaxFrames> refilled_{};
  std::uint64_t series_ticks_ = 0;
  std::int64_t stops_ = 0;
  long preemptions_ = 0;  ///< of the subject so far: its involuntary context switches
};

}  // namespace assay::subject
