#pragma once

#include <cstddef>
#include <cstdint>

// The contract between the three sides that share the subject's memory: the subject's own program
// (profiler/subject/program), the generated kernels (profiler/codegen) and the monitor. It is
// included by the freestanding program too, so it holds constants and plain data only.

namespace assay::subject {

inline constexpr std::uint64_t kPageSize = 4096;

/// The first address that no process may map under 4-level paging: the kernel keeps the last page
/// below the canonical gap to itself.
inline constexpr std::uint64_t kUserEnd = 0x7fff'ffff'f000;

/// Everything of assay's own in the subject lies in [kBase, kBase + kSpan). The place is far from
/// where programs keep anything (low addresses of non-PIE programs, 0x55.. of PIE ones, 0x7f.. of
/// libraries and stacks) and from the initial state's address and its small multiples.
inline constexpr std::uint64_t kBase = 0x5ec7'0000'0000;
inline constexpr std::uint64_t kSpan = 0x0080'0000;

inline constexpr std::uint64_t kProgram = kBase;  ///< text of the program, r-x
inline constexpr std::uint64_t kStack = kBase + 0x0010'0000;
inline constexpr std::uint64_t kStackSize = 0x1'0000;
/// The series runs on the upper half of the stack; page requests that interrupt it use the lower.
inline constexpr std::uint64_t kSeriesStackTop = kStack + kStackSize;
inline constexpr std::uint64_t kRequestStackTop = kStack + kStackSize / 2;
inline constexpr std::uint64_t kControl = kBase + 0x0020'0000;  ///< struct Control, rw-
inline constexpr std::uint64_t kTrace = kBase + 0x0028'0000;    ///< records of a trace, rw-
inline constexpr std::uint64_t kTraceSize = 0x1'0000;
inline constexpr std::uint64_t kCode = kBase + 0x0040'0000;  ///< kernels, r-x
inline constexpr std::uint64_t kCodeSize = 0x0010'0000;
/// The pages of hardware counters (perf_event_mmap_page), one behind the other, r--.
inline constexpr std::uint64_t kCounterPages = kBase + 0x0060'0000;
/// As many as descriptors are passed in one message, less some.
inline constexpr std::uint32_t kMaxCounterPages = 240;
static_assert(kCode + kCodeSize <= kCounterPages &&
              kCounterPages + kMaxCounterPages * kPageSize <= kBase + kSpan);

/// Where a block's RIP-relative operands think that the block lies. Not where the copies are: so no
/// displacement that a block may hold reaches a kernel by accident, and every copy can still reach
/// most of the 4 GiB around it.
inline constexpr std::uint64_t kRipBase = kBase + 0x2000'0000;

inline constexpr bool is_own_address(std::uint64_t address) {
  return address >= kBase && address - kBase < kSpan;
}

/// The frames' file holds kMaxFrames physical pages, one behind the other; a series uses the first
/// few. Every virtual page that a block touches is mapped onto one of them, by its number: page 0
/// onto the first, page 1 onto the second, and round again.
inline constexpr int kMaxFrames = 4;
inline constexpr std::uint64_t kFrameSize = kMaxFrames * kPageSize;

/// The offset in the frames' file that the page of this address is mapped at.
inline constexpr std::uint64_t frame_offset(std::uint64_t address, int frames) {
  return address / kPageSize % static_cast<std::uint64_t>(frames) * kPageSize;
}
static_assert(frame_offset(0x7ff8, 4) == 3 * kPageSize && frame_offset(0x7ff8, 1) == 0);

/// Descriptors that the subject is started with; it holds no other.
inline constexpr int kArenaDescriptor = 3;  ///< Control, the code area, the records of a trace
inline constexpr int kFrameDescriptor = 4;
inline constexpr int kFirstCounterDescriptor = 5;  ///< of the first counter page; the others behind

/// The arena's file: Control at offset 0, the code area behind it, then the records of a trace.
inline constexpr std::uint64_t kControlSize = 0x1'0000;
inline constexpr std::uint64_t kTraceOffset = kControlSize + kCodeSize;
inline constexpr std::uint64_t kArenaSize = kTraceOffset + kTraceSize;
static_assert(kControl + kControlSize <= kTrace && kTrace + kTraceSize <= kCode);

inline constexpr int kMaxCounters = 16;    ///< that one kernel reads
inline constexpr int kMaxKernels = 256;    ///< in one series, in turn
inline constexpr int kMaxReadings = 8192;  ///< of one series: rounds * kernels * counters
inline constexpr int kMaxPages = 256;      ///< pages in one request

inline constexpr std::uint64_t kMagic = 0x7375'626a'6563'7431;  // "subject1"

/// Addresses in the program at which the monitor starts it, and the steps of start-up that can
/// fail.
enum class StartupStep : std::uint32_t { kReady, kMapArena, kMapStack, kMapCounters, kFilter };

/// One shared page range, mapped read-write on both sides. Only one side runs at any time: the
/// monitor writes requests and reads results while the subject is stopped.
struct Control {
  // Written once by the monitor before the program starts.
  std::uint32_t counter_pages;  ///< to map; at most kMaxCounterPages

  // Written once by the program at start-up.
  std::uint64_t magic;         ///< kMagic; checked after every series: a sign of damage if not
  StartupStep failed_step;     ///< kReady, or the step that failed
  std::int32_t startup_errno;  ///< errno of that step
  std::uint64_t run_series;    ///< entry: runs the series below, then stops
  std::uint64_t map_pages;     ///< entry: maps `pages` onto frames, then stops
  std::uint64_t stop_address;  ///< where RIP stands at the stop that ends either

  // A series, as the monitor asks for it: `rounds` times the `kernels` in turn, `counters` readings
  // each. None of it is run unless the pages below could be mapped and `watched` counter pages hold
  // the expected indices.
  std::uint32_t rounds;
  std::uint32_t kernels;  ///< at most kMaxKernels
  std::uint64_t kernel_entry[kMaxKernels];
  std::uint32_t counters;      ///< that every kernel stores counts of: 1 to kMaxCounters
  std::uint32_t watched;       ///< counter pages, at most kMaxCounters
  std::uint32_t watched_page;  ///< the first of them; the others follow it
  std::uint32_t expected_index[kMaxCounters];  ///< of each
  /// Bit i % 64 of word i / 64: frames are refilled before each run of kernel i.
  std::uint64_t refill_mask[kMaxKernels / 64];
  /// Likewise: lines are pushed out of the first-level data cache before kernel i.
  std::uint64_t eviction_mask[kMaxKernels / 64];
  std::uint32_t phase_mask;  ///< delays are 0 to this many turns of a one-cycle loop
  std::uint64_t fill_word;   ///< what frames are refilled with
  std::uint64_t fills;       ///< stretches of memory to refill, one in each frame at most
  std::uint64_t fill_address[kMaxFrames];  ///< of each, through a page that the block uses
  std::uint64_t fill_words[kMaxFrames];    ///< and how many words

  // Written while it runs. All that stands before this must be the same after a series as before.
  std::uint64_t phase_state;  ///< of the random delays; not 0
  std::uint32_t samples;      ///< runs that ended
  std::uint64_t ticks;        ///< result: of the time-stamp counter, from the first run to the last
  /// By every kernel: how far each counter that it reads, or the time-stamp counter, got from
  /// before its copies to behind them, modulo 2^32.
  std::uint32_t counts[kMaxCounters];
  std::uint64_t saved_rsp;  ///< by every kernel: the program's stack pointer while it runs
  // By kernels of an initial state that has code of its own: what it left in these registers.
  std::uint64_t initial_rax;
  std::uint64_t initial_rcx;
  std::uint64_t initial_rdx;
  std::uint64_t initial_rsp;
  // Of the series' watched counter pages.
  std::uint32_t counters_moved;  ///< result: 1 if one was not as expected, or changed meanwhile
  std::uint32_t seen_index[kMaxCounters];  ///< result: of each, when it was last looked at

  // Pages to unmap and then to map, before a series or alone.
  std::uint32_t unmapped_count;       ///< at most kMaxPages
  std::uint64_t unmapped[kMaxPages];  ///< page-aligned addresses
  std::uint32_t page_count;           ///< at most kMaxPages
  std::uint32_t pages_mapped;         ///< result: how many were; the next one could not be
  std::int32_t page_errno;            ///< result: 0, or errno of that one
  std::uint64_t pages[kMaxPages];     ///< page-aligned addresses
  std::uint64_t offsets[kMaxPages];   ///< of their frames in the file

  /// Result: the counts of each run, by round, then by kernel, then by counter.
  std::uint32_t readings[kMaxReadings];
};
static_assert(sizeof(Control) <= kControlSize);

/// A traced kernel's records lie in the trace area one copy behind the other, each of as many words
/// as codegen/trace_layout.h finds; this is the last word of each.
struct CopyStatus {
  std::uint32_t mxcsr;       ///< its flags are sticky over all copies
  std::uint16_t x87_status;  ///< likewise; of blocks that use the x87, else anything
  std::uint16_t unused;
};
static_assert(sizeof(CopyStatus) == sizeof(std::uint64_t));

}  // namespace assay::subject
