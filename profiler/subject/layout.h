#pragma once

#include <cstddef>
#include <cstdint>

// The contract between the three sides that share the subject's memory: the subject's own program
// (profiler/subject/program), the generated kernels (profiler/codegen) and the monitor. The
// freestanding program includes it too, so that it holds only constants and plain data.

namespace assay::subject {

inline constexpr std::uint64_t kPageSize = 4096;

/// The first address that no process may map under 4-level paging, since the kernel keeps the last
/// page below the canonical gap to itself.
inline constexpr std::uint64_t kUserEnd = 0x7fff'ffff'f000;

/// All memory of assay's own in the subject lies in [kBase, kBase + kSpan). That is far from where
/// programs keep anything (low addresses of non-PIE programs, 0x55.. of PIE ones, 0x7f.. of
/// libraries and stacks) and from the initial state's address and its small multiples.
inline constexpr std::uint64_t kBase = 0x5ec7'0000'0000;
inline constexpr std::uint64_t kSpan = 0x0080'0000;

inline constexpr std::uint64_t kProgram = kBase;  ///< the program's text, r-x
inline constexpr std::uint64_t kStack = kBase + 0x0010'0000;
inline constexpr std::uint64_t kStackSize = 0x1'0000;
/// A series runs on the upper half of the stack; page requests that interrupt it use the lower
/// half.
inline constexpr std::uint64_t kSeriesStackTop = kStack + kStackSize;
inline constexpr std::uint64_t kRequestStackTop = kStack + kStackSize / 2;
inline constexpr std::uint64_t kControl = kBase + 0x0020'0000;  ///< struct Control, rw-
inline constexpr std::uint64_t kTrace = kBase + 0x0028'0000;    ///< the records of a trace, rw-
inline constexpr std::uint64_t kTraceSize = 0x1'0000;
inline constexpr std::uint64_t kCode = kBase + 0x0040'0000;  ///< the kernels, r-x
inline constexpr std::uint64_t kCodeSize = 0x0010'0000;
/// The pages of hardware counters (perf_event_mmap_page), one behind the other, r--.
inline constexpr std::uint64_t kCounterPages = kBase + 0x0060'0000;
/// Somewhat fewer than the descriptors that can be passed in one message.
inline constexpr std::uint32_t kMaxCounterPages = 240;
static_assert(kCode + kCodeSize <= kCounterPages &&
              kCounterPages + kMaxCounterPages * kPageSize <= kBase + kSpan);

/// The address that the block is taken to lie at for its RIP-relative operands. It is not an
/// address of any copy, so that no displacement that a block may hold reaches a kernel by accident,
/// and every copy can still reach most of the 4 GiB around it.
inline constexpr std::uint64_t kRipBase = kBase + 0x2000'0000;

inline constexpr bool is_own_address(std::uint64_t address) {
  return address >= kBase && address - kBase < kSpan;
}

inline constexpr int kMaxPages = 256;  ///< the most pages of a block, and in one request

/// The frames' file holds kMaxFrames physical pages, one behind the other. Every virtual page that
/// a block touches is mapped onto one of them: each onto one of its own or, if a series has only so
/// many frames, by its number: page 0 onto the first, page 1 onto the second, and so on,
/// cyclically.
inline constexpr int kMaxFrames = kMaxPages;
inline constexpr std::uint64_t kFrameSize = kMaxFrames * kPageSize;

/// The most ranges of memory that are refilled before a run: more than any first-level data cache
/// of 48 KiB has lines.
inline constexpr int kMaxFills = 1024;

/// As a number of frames: each page has one of its own.
inline constexpr int kOwnFrames = 0;

/// The frame, counted from 0, of a page among so many that take turns.
inline constexpr int frame_in_turn(std::uint64_t address, int frames) {
  return static_cast<int>(address / kPageSize % static_cast<std::uint64_t>(frames));
}
static_assert(frame_in_turn(0x7ff8, 4) == 3 && frame_in_turn(0x7ff8, 1) == 0);

/// The descriptors that the subject is started with; it has no others.
inline constexpr int kArenaDescriptor = 3;  ///< Control, the code area, the records of a trace
inline constexpr int kFrameDescriptor = 4;
inline constexpr int kFirstCounterDescriptor = 5;  ///< the first counter page's; the others follow

/// The layout of the arena's file: Control at offset 0, then the code area, then the records of a
/// trace.
inline constexpr std::uint64_t kControlSize = 0x1'0000;
inline constexpr std::uint64_t kTraceOffset = kControlSize + kCodeSize;
inline constexpr std::uint64_t kArenaSize = kTraceOffset + kTraceSize;
static_assert(kControl + kControlSize <= kTrace && kTrace + kTraceSize <= kCode);

inline constexpr int kMaxCounters = 16;    ///< how many one kernel can read
inline constexpr int kMaxKernels = 256;    ///< how many one series can run in turn
inline constexpr int kMaxReadings = 8192;  ///< in one series: rounds * kernels * counters

inline constexpr std::uint64_t kMagic = 0x7375'626a'6563'7431;  // "subject1"

/// The steps of start-up that can fail.
enum class StartupStep : std::uint32_t { kReady, kMapArena, kMapStack, kMapCounters, kFilter };

/// A shared range of pages, mapped read-write on both sides. Only one side runs at any time: the
/// monitor writes requests and reads results while the subject is stopped.
struct Control {
  // Written once by the monitor before the program starts.
  std::uint32_t counter_pages;  ///< how many to map; at most kMaxCounterPages

  // Written once by the program at start-up.
  std::uint64_t magic;         ///< kMagic; anything else after a series is a sign of damage
  StartupStep failed_step;     ///< kReady, or the step that failed
  std::int32_t startup_errno;  ///< errno of the step that failed
  std::uint64_t run_series;    ///< address of the entry that runs the series below, then stops
  std::uint64_t map_pages;     ///< address of the entry that maps `pages` onto frames, then stops
  std::uint64_t stop_address;  ///< the value of RIP at the stop that ends either

  // A series, as the monitor asks for it: `rounds` rounds of all `kernels` in turn, with `counters`
  // readings each. Nothing is run unless the pages below could be mapped and the `watched` counter
  // pages hold the expected indices.
  std::uint32_t rounds;
  std::uint32_t kernels;  ///< at most kMaxKernels
  std::uint64_t kernel_entry[kMaxKernels];
  std::uint32_t counters;      ///< how many counts every kernel stores: 1 to kMaxCounters
  std::uint32_t watched;       ///< number of counter pages to watch; at most kMaxCounters
  std::uint32_t watched_page;  ///< index of the first watched page; the others follow it
  std::uint32_t expected_index[kMaxCounters];  ///< one for each watched page
  /// If bit i % 64 of word i / 64 is set, frames are refilled before each run of kernel i.
  std::uint64_t refill_mask[kMaxKernels / 64];
  /// If bit i % 64 of word i / 64 is set, the block's lines are pushed out of the first-level data
  /// cache before each run of kernel i.
  std::uint64_t eviction_mask[kMaxKernels / 64];
  std::uint32_t phase_mask;  ///< random delays are 0 to this many iterations of a one-cycle loop
  std::uint64_t fill_word;   ///< what frames are refilled with
  std::uint64_t fills;       ///< number of ranges to refill; at most kMaxFills
  std::uint64_t fill_address[kMaxFills];  ///< where each begins, in a page that the block uses
  std::uint64_t fill_words[kMaxFills];    ///< how many words each has

  // Written while it runs. Everything above this must be the same after a series as before it.
  std::uint64_t phase_state;  ///< state of the random delays; not 0
  std::uint32_t samples;      ///< how many runs reached their end
  std::uint64_t ticks;        ///< result: time-stamp ticks from the first run to the last
  /// Written by every kernel: how far each counter that it reads, or the time-stamp counter,
  /// advanced from before its copies to behind them, modulo 2^32.
  std::uint32_t counts[kMaxCounters];
  std::uint64_t saved_rsp;  ///< written by every kernel: the program's stack pointer while it runs
  // Written by kernels of an initial state that has code of its own: what it left in registers.
  std::uint64_t initial_rax;
  std::uint64_t initial_rcx;
  std::uint64_t initial_rdx;
  std::uint64_t initial_rsp;
  // Results for the series' watched counter pages.
  std::uint32_t counters_moved;  ///< result: 1 if an index was not as expected, or a page changed
  std::uint32_t seen_index[kMaxCounters];  ///< result: the index in each, when last looked at

  // Pages to unmap and then to map, before a series or without one.
  std::uint32_t unmapped_count;       ///< at most kMaxPages
  std::uint64_t unmapped[kMaxPages];  ///< page-aligned addresses
  std::uint32_t page_count;           ///< at most kMaxPages
  std::uint32_t pages_mapped;         ///< result: how many were mapped before one could not be
  std::int32_t page_errno;         ///< result: 0, or the errno of the page that could not be mapped
  std::uint64_t pages[kMaxPages];  ///< page-aligned addresses
  std::uint64_t offsets[kMaxPages];  ///< the offsets of their frames in the frames' file

  /// Result: the counts of each run, by round, then by kernel, then by counter.
  std::uint32_t readings[kMaxReadings];
};
static_assert(sizeof(Control) <= kControlSize);

/// The last word of each copy's record. The records of a traced kernel lie in the trace area one
/// behind the other, each of as many words as codegen/trace_layout.h finds.
struct CopyStatus {
  std::uint32_t mxcsr;       ///< its flags are sticky over all copies
  std::uint16_t x87_status;  ///< sticky flags too; meaningless if the block does not use the x87
  std::uint16_t unused;
};
static_assert(sizeof(CopyStatus) == sizeof(std::uint64_t));

}  // namespace assay::subject
