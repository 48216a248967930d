#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/user.h>

#include <array>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "profiler/subject/deadline.h"
#include "profiler/subject/fault.h"
#include "profiler/subject/launch.h"
#include "profiler/subject/mappings.h"
#include "profiler/subject/shared_memory.h"
#include "profiler/subject/wait_status.h"
#include "profiler/support/units.h"

namespace assay::subject {

/// The limits within which a block must stay.
struct Limits {
  int pages = 128;  ///< pages that are mapped for one block; at most kMaxPages
  /// The subject's processor time for each stretch between two of its stops.
  std::chrono::nanoseconds time{std::chrono::milliseconds(100)};
};

/// Where a series' kernels expect their counters for RDPMC: what the counters' pages must show.
struct CounterWatch {
  std::uint32_t first_page = 0;  ///< its index among the pages that the subject was started with
  /// The `index` that the perf_event_mmap_page of the first page and of each page behind it must
  /// show, which is one more than what RDPMC takes; at most kMaxCounters. 0 never matches: a series
  /// that expects it finds out where the counters are and runs nothing. If empty, there is nothing
  /// to watch.
  std::span<const std::uint32_t> indices;
};

/// What is done again until it is quick.
struct Retries {
  /// A run of kernel i whose first count is more than most[i] has the series go back to the latest
  /// kernel in front of which lines were evicted, and on from there. One for each kernel, or none.
  std::span<const std::uint32_t> most = {};
  std::uint32_t times = 0;  ///< how often it may go back to each of these; then it goes on
};

/// Kernels to run in turn, in `rounds` rounds.
struct Series {
  std::span<const std::uint64_t> kernels;  ///< entries in the code area; 1 to kMaxKernels
  std::uint32_t rounds = 1;                ///< rounds * kernels * counters is at most kMaxReadings
  /// If bit i is set, the frames are filled with `fill_word`s before each run of kernel i. They are
  /// also filled when the first page is mapped onto them.
  std::bitset<kMaxKernels> refill_mask = std::bitset<kMaxKernels>{}.set();
  std::uint64_t fill_word = 0;
  std::uint64_t segment_base = 0;  ///< the base of both FS and GS
  /// The random delays before runs are 0 to this many iterations of a one-cycle loop; 2^k - 1.
  std::uint32_t phase_mask = 127;
  /// The number of frames that missing pages are mapped onto in turn, by page number: 1 to
  /// kMaxFrames; or kOwnFrames. It must stay the same until unmap_all().
  int frames = kOwnFrames;
  std::uint32_t counters = 1;  ///< how many counts each kernel stores (Kernel::counts)
  CounterWatch watch = {};
  /// If bit i is set, the first-level data cache is filled with other lines before each run of
  /// kernel i, so that the block's lines come to lie elsewhere in it.
  std::bitset<kMaxKernels> eviction_mask = {};
  Retries retries = {};
};

/// A range of virtual memory, in bytes.
struct MemoryRange {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct SeriesResult {
  std::optional<Fault> fault;  ///< what ended the series early; then there are no readings
  /// How many pages were missing and have been mapped meanwhile. If there are any, the readings
  /// include the time that this took: run the series again for clean ones.
  int pages_mapped = 0;
  /// Whether the system took the processor away from the subject meanwhile, by its own count.
  bool preempted = false;
  /// Whether, after narrow_refills(), a kernel wrote to memory that is not refilled, so that some
  /// runs may have found what others left. The frames are restored, and are refilled as a whole
  /// from now on: run the series again.
  bool stale = false;
  /// Whether a watched counter was not where it was expected, so that nothing ran, or whether the
  /// system's kernel changed something about it meanwhile, as it does when it takes the processor
  /// away. There are no readings then: run again, with other kernels if `indices` are not the
  /// expected ones.
  bool counters_moved = false;
  /// The indices in the watched pages when they were last looked at; 0 for a counter that did not
  /// count, or may not be read by RDPMC. They lie in shared memory, and are valid until the next
  /// series.
  std::span<const std::uint32_t> indices;
  /// How often the series went back (Series::retries), as far as the block left the number alone.
  int retried = 0;
  /// Counts, or ticks, modulo 2^32, ordered by round, then by kernel, then by counter. They lie in
  /// shared memory, and are valid until the next series.
  std::span<const std::uint32_t> readings;
};

/// The process in which kernels run. The thread that makes the object is its monitor, and must make
/// every call. A fault in a series leaves the subject ready for the next series. If the subject is
/// damaged or dead (a fault with the reason kSubjectDamaged), it must be replaced by a new one; the
/// code area is part of it and has to be loaded again. The destructor ends the process.
class Subject {
 public:
  /// Starts the process, and tries again if it is killed before it is ready. Throws
  /// EnvironmentError if the machine does not allow it, or what `open_counters` throws (launch.h),
  /// which is called for each process that is started. The counters whose pages the subject has
  /// exist until it ends.
  explicit Subject(const OpenCounters& open_counters = {});
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Copies machine code to kCode + `offset`. `offset` plus the size must be at most kCodeSize.
  void load_code(std::uint64_t offset, std::span<const std::uint8_t> code);

  /// Runs the series. Missing pages are mapped onto frames, and execution continues at the
  /// instruction that missed them. Throws EnvironmentError if the system itself fails.
  SeriesResult run(const Series& series, const Limits& limits);

  /// Runs one kernel of the series once, with no right to the stack, the report and the trace, so
  /// that whatever tries to read or write these ends in a fault. So does the kernel itself when it
  /// stores its counts behind the copies: ends_at_counts() tells such a fault.
  Fault run_guarded(std::uint64_t kernel, const Series& series, const Limits& limits);
  static bool ends_at_counts(const Fault& fault);

  /// What the latest run of a traced kernel recorded (codegen/traced_kernel.h). It lies in shared
  /// memory, and is valid until the next run of another traced kernel.
  std::span<const std::uint64_t> trace() const { return memory_.trace(); }

  /// Has the page of an address that a block may access mapped at the start of the next series,
  /// which costs far less than a stop. Does nothing if the page is mapped already, or cannot be
  /// mapped, or if there are as many pages as the limits allow. Do not call it while a series runs.
  void expect(std::uint64_t address, const Limits& limits);
  /// Takes back the pages, mapped or expected, for whose addresses `needed` is false. Do not call
  /// it while a series runs.
  void keep_only(const std::function<bool(std::uint64_t)>& needed);

  /// From now on and until unmap_all(), refills only the lines that the latest run of the latest
  /// series left changed, which are usually few: refilling more would take time, and would push
  /// lines that the block uses out of the first-level cache. Call it when that run changed
  /// everything that any later run will change; after each series it is checked whether that was
  /// true. `writes` is memory that is known to be written to besides, though it may hold the fill
  /// word again by then.
  void narrow_refills(std::span<const MemoryRange> writes);

  /// Unmaps every page that was mapped onto a frame, as before a block. This happens at the start
  /// of the next series, except for pages that are expected again by then.
  void unmap_all();
  /// The number of pages that are mapped onto frames for this block, or expected.
  int pages() const { return static_cast<int>(pages_.size()); }

  /// What of the process' mappings is not as this object made them, for people; nothing if all is,
  /// or if the process is gone. Its system-call filter should see to that; this is to find out if
  /// that fails. Do not call it while a series runs.
  std::optional<std::string> unexpected_mapping();

  /// Whether somebody else has ended the process: a user, or a system that is short of memory. No
  /// block can: a signal that it causes stops the process, and the system calls that end one are
  /// denied to it.
  bool was_killed() const { return was_killed_; }

  /// The process' ID, for looking at the process from outside.
  pid_t pid() const { return pid_; }

  /// What its program's system calls need. It is in none of the subject's memory.
  SystemCallKey key() const { return key_; }

  /// Emulates RDPMC, which faults on a machine without counters. The emulator is called with the
  /// registers at the instruction. It may do the instruction's work, changing the registers, RIP
  /// included, and return true; then the kernel continues. This is for testing kernels that read
  /// counters, and not for measuring: every reading takes a stop.
  using RdpmcEmulator = std::function<bool(user_regs_struct&)>;
  void emulate_rdpmc(RdpmcEmulator emulator) { emulator_ = std::move(emulator); }

  /// The ticks of the time-stamp counter for which the subject ran series that reached their end,
  /// and how often it has stopped so far.
  Ticks series_ticks() const { return series_ticks_; }
  std::int64_t stops() const { return stops_; }

  /// Stops and continues the subject without anything to do: the least that every remote call
  /// costs.
  void round_trip();

 private:
  enum class StopKind { kDone, kPagesChanged, kSignal, kTimeLimit, kDead };
  struct Stop {
    StopKind kind;
    siginfo_t signal;
    user_regs_struct registers;
  };

  /// How many pages of a request are to be unmapped, and then mapped.
  struct PageCounts {
    std::size_t unmapped = 0;
    std::size_t mapped = 0;
  };
  /// Has the program change the pages of the request and go on at `then`. If one cannot be mapped,
  /// it stops there: kPagesChanged, with a negative errno in RAX, and in R15 how many are behind
  /// that one.
  Stop call(std::uint64_t then, PageCounts pages, std::uint64_t segment_base,
            std::chrono::nanoseconds limit);
  Stop resume(const user_regs_struct& registers, std::chrono::nanoseconds limit);
  Stop wait_for_stop(std::chrono::nanoseconds limit);
  bool is_over() const;
  Stop interrupt();
  std::optional<Stop> interpret(WaitStatus status);
  WaitStatus wait_interruptibly(std::chrono::nanoseconds limit, bool& timed_out);
  std::chrono::nanoseconds processor_time() const;
  void note(const rusage& usage);
  void continue_process();

  /// What the stop means for the block. Nothing if its cause is removed, and the subject may
  /// continue with the stop's registers.
  std::optional<Fault> fault_of(Stop& stop, const Limits& limits, int& pages_mapped);
  bool emulated(Stop& stop, std::span<const std::uint8_t> code);
  std::optional<Fault> supply_page(const Stop& stop, const Limits& limits);
  std::optional<int> map_page(std::uint64_t address);  ///< an errno; nothing if the subject is gone
  /// Has the program map pages, up to the first that cannot be. Returns 0 or that one's errno; or
  /// nothing if it does not come to an end. Then the program is damaged: the subject is ended, and
  /// every later series reports that.
  std::optional<int> change_pages(std::span<const PageChange> mapped);
  bool read_registers(Stop& stop);  ///< false if the subject has been killed meanwhile
  void launch(const OpenCounters& open_counters);
  void end();
  void list_fills();

  /// A page of a block: mapped, or to be mapped.
  struct Page {
    std::uint64_t address = 0;
    int own_frame = 0;  ///< the frame that no other page has

    bool operator==(const Page&) const = default;
  };
  PageChange mapping_of(const Page& page) const {
    return {page.address, static_cast<std::uint64_t>(frame_of(page)) * kPageSize};
  }
  int unused_frame(std::uint64_t page);
  int frame_of(const Page& page) const {
    return frames_ == kOwnFrames ? page.own_frame : frame_in_turn(page.address, frames_);
  }
  std::optional<int> frame_at(std::uint64_t address) const;
  std::span<std::uint64_t> words_of(int frame) const {
    return memory_.frame(static_cast<std::uint64_t>(frame) * kPageSize);
  }
  void for_each_frame(const std::function<void(int, std::uint64_t)>& callback) const;
  std::uint64_t lines_refilled(int frame) const {
    return refilled_.at(static_cast<std::size_t>(frame));
  }
  std::uint64_t lines_changed(int frame) const;
  bool wrote_elsewhere() const;
  void check(const Series& series, const Limits& limits) const;
  void make_ready(const Series& series);
  PageCounts request_pages();
  Stop start(const Series& series, const Limits& limits);
  bool is_expected(const Page& page) const;
  void request_series(const Series& series);
  /// Reads the result of a series that reached its end.
  void read_result(const Series& series, SeriesResult& result);
  std::span<const std::uint8_t> code_at(std::uint64_t rip) const;

  SharedMemory memory_;
  Deadline deadline_;
  pid_t pid_ = -1;
  bool alive_ = false;
  bool was_killed_ = false;
  user_regs_struct start_registers_{};
  SystemCallKey key_{};
  /// Addresses in the program (Report), as it told them before it ran any kernel.
  struct Entries {
    std::uint64_t change_rights = 0;
    std::uint64_t change_pages = 0;
    std::uint64_t run_series = 0;
    std::uint64_t pages_stop = 0;
    std::uint64_t series_stop = 0;
  };
  Entries entries_;
  /// Whether the program has the rights to its stack, the report and the trace, and whether it
  /// should have them from the next call on.
  bool has_rights_ = true;
  bool needs_rights_ = true;
  Mappings mappings_;
  std::vector<std::string> own_mappings_;           ///< lines of these, without a block
  std::mt19937_64 random_{std::random_device{}()};  ///< draws seeds of random delays, and frames
  RdpmcEmulator emulator_;
  std::vector<Page> pages_;           ///< the block's pages, mapped or expected
  std::vector<Page> expected_pages_;  ///< those of pages_ that are not mapped yet
  std::vector<Page> left_pages_;      ///< pages of an earlier block, still to be unmapped
  int frames_ = kOwnFrames;           ///< as in Series
  static constexpr std::uint64_t kAllLines = ~std::uint64_t{0};
  /// The lines of each frame that are refilled: bit i for line i.
  std::array<std::uint64_t, kMaxFrames> refilled_;
  Ticks series_ticks_;
  std::int64_t stops_ = 0;
  // As of the latest stop, by what waiting for it told:
  long preemptions_ = 0;                     ///< the subject's involuntary context switches
  std::chrono::nanoseconds time_at_stop_{};  ///< its processor time
};

}  // namespace assay::subject
