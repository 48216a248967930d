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
/// struct Request, r--: what the monitor asks for is out of a block's reach.
inline constexpr std::uint64_t kRequest = kBase + 0x0010'0000;
inline constexpr std::uint64_t kRequestSize = 0x1'0000;
/// What the subject may write to beside the block's pages, rw-: the program's stack, struct Report,
/// and the records of a trace, one behind the other. A block may write there too, so that nothing
/// that matters to any other block rests on it.
inline constexpr std::uint64_t kStack = kBase + 0x0020'0000;
inline constexpr std::uint64_t kStackSize = 0x1'0000;
inline constexpr std::uint64_t kStackTop = kStack + kStackSize;
inline constexpr std::uint64_t kReport = kStackTop;
inline constexpr std::uint64_t kReportSize = 0x1'0000;
inline constexpr std::uint64_t kTrace = kReport + kReportSize;
inline constexpr std::uint64_t kTraceSize = 0x1'0000;
inline constexpr std::uint64_t kCode = kBase + 0x0040'0000;  ///< the kernels, r-x
inline constexpr std::uint64_t kCodeSize = 0x0010'0000;
/// The pages of hardware counters (perf_event_mmap_page), one behind the other, r--.
inline constexpr std::uint64_t kCounterPages = kBase + 0x0060'0000;
/// Somewhat fewer than the descriptors that can be passed in one message.
inline constexpr std::uint32_t kMaxCounterPages = 240;
static_assert(kTrace + kTraceSize <= kCode && kCode + kCodeSize <= kCounterPages &&
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
inline constexpr int kArenaDescriptor = 3;  ///< all that is listed below
inline constexpr int kFrameDescriptor = 4;
inline constexpr int kFirstCounterDescriptor = 5;  ///< the first counter page's; the others follow

/// The layout of the arena's file: the request, the code area, then what the subject may write to.
inline constexpr std::uint64_t kCodeOffset = kRequestSize;
inline constexpr std::uint64_t kStackOffset = kCodeOffset + kCodeSize;
inline constexpr std::uint64_t kReportOffset = kStackOffset + kStackSize;
inline constexpr std::uint64_t kTraceOffset = kReportOffset + kReportSize;
inline constexpr std::uint64_t kArenaSize = kTraceOffset + kTraceSize;
/// The size of the stack, the report and the trace together.
inline constexpr std::uint64_t kWritableSize = kStackSize + kReportSize + kTraceSize;

inline constexpr int kMaxCounters = 16;    ///< how many one kernel can read
inline constexpr int kMaxKernels = 256;    ///< how many one series can run in turn
inline constexpr int kMaxReadings = 8192;  ///< in one series: rounds * kernels * counters

inline constexpr std::uint64_t kMagic = 0x7375'626a'6563'7432;  // "subject2"

/// The steps of start-up that can fail.
enum class StartupStep : std::uint32_t { kReady, kMapArena, kMapCounters, kRights, kFilter };

/// What only the monitor and the program know: the filter lets a system call through if the unused
/// upper halves of its fourth and fifth arguments hold these. The monitor hands them over in
/// registers with each request to change pages, and the program clears these before a kernel runs:
/// they are in no memory of the subject by then.
struct SystemCallKey {
  std::uint32_t fourth;
  std::uint32_t fifth;
};

/// A page to unmap, or to map.
struct PageChange {
  std::uint64_t address;  ///< page-aligned
  std::uint64_t offset;   ///< of its frame in the frames' file; means nothing for one to unmap
};

/// What the monitor asks for. The subject can only read it. The monitor writes it while the subject
/// is stopped.
struct Request {
  // For start-up. The key is cleared when the program is ready.
  std::uint32_t counter_pages;  ///< how many to map; at most kMaxCounterPages
  SystemCallKey key;

  // A series: `rounds` rounds of all `kernels` in turn, with `counters` readings each. Nothing is
  // run unless the pages below could be mapped and the `watched` counter pages hold the expected
  // indices.
  std::uint64_t next_run;  ///< where kernels go on at their end: Report::next_run at start-up
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
  /// If the first count of kernel i is more than this, the series goes back to the latest eviction
  /// and on from there, at most `retries` times to each.
  std::uint32_t most_count[kMaxKernels];
  std::uint32_t retries;
  std::uint32_t phase_mask;  ///< random delays are 0 to this many iterations of a one-cycle loop
  std::uint64_t phase_seed;  ///< what they begin with; not 0
  std::uint64_t fill_word;   ///< what frames are refilled with
  std::uint64_t fills;       ///< number of ranges to refill; at most kMaxFills
  std::uint64_t fill_address[kMaxFills];  ///< where each begins, in a page that the block uses
  std::uint64_t fill_words[kMaxFills];    ///< how many words each has

  /// Pages to unmap, and behind them pages to map, before a series or without one.
  PageChange pages[2 * kMaxPages];
};
static_assert(sizeof(Request) <= kRequestSize);

/// What the subject tells the monitor. A block may write to it: the monitor takes each value for
/// what it is, and asks the program to rely on none for more than the present series.
struct Report {
  // Written once by the program at start-up, and read by the monitor then only.
  std::uint64_t magic;          ///< kMagic
  StartupStep failed_step;      ///< kReady, or the step that failed
  std::int32_t startup_errno;   ///< errno of the step that failed
  std::uint64_t change_rights;  ///< address of the entry that first changes rights, then pages
  std::uint64_t change_pages;   ///< address of the entry that changes pages, then goes on
  std::uint64_t run_series;     ///< address of the entry that runs a series
  std::uint64_t next_run;       ///< address that every kernel leads to
  std::uint64_t pages_stop;     ///< the value of RIP at the stop that ends changing pages
  std::uint64_t series_stop;    ///< the value of RIP at the stop that ends a series

  // Written while a series runs.
  std::uint64_t phase_state;  ///< state of the random delays
  std::uint64_t start;        ///< the time stamp at which the first run began
  std::uint32_t runs;         ///< how many runs reached their end, without those done again
  std::uint32_t evicted_run;  ///< the run before which lines were evicted last
  std::uint32_t returns;      ///< how often the series went back there
  std::uint32_t retried;      ///< how often it went back in all
  std::uint64_t ticks;        ///< result: time-stamp ticks from the first run to the last
  /// Written by every kernel: how far each counter that it reads, or the time-stamp counter,
  /// advanced from before its copies to behind them, modulo 2^32.
  std::uint32_t counts[kMaxCounters];
  // Written by kernels of an initial state that has code of its own: what it left in registers.
  std::uint64_t initial_rax;
  std::uint64_t initial_rcx;
  std::uint64_t initial_rdx;
  std::uint64_t initial_rsp;
  // Results for the series' watched counter pages.
  std::uint32_t counters_moved;  ///< result: 1 if an index was not as expected, or a page changed
  std::uint32_t lock[kMaxCounters];        ///< the state of each page's lock before the first run
  std::uint32_t seen_index[kMaxCounters];  ///< result: the index in each, when last looked at

  /// Result: the counts of each run, by round, then by kernel, then by counter.
  std::uint32_t readings[kMaxReadings];
};
static_assert(sizeof(Report) <= kReportSize);

/// The last word of each copy's record. The records of a traced kernel lie in the trace area one
/// behind the other, each of as many words as codegen/trace_layout.h finds.
struct CopyStatus {
  std::uint32_t mxcsr;       ///< its flags are sticky over all copies
  std::uint16_t x87_status;  ///< sticky flags too; meaningless if the block does not use the x87
  std::uint16_t unused;
};
static_assert(sizeof(CopyStatus) == sizeof(std::uint64_t));

}  // namespace assay::subject
