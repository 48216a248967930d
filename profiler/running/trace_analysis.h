#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"
#include "profiler/running/trace.h"
#include "profiler/subject/layout.h"

namespace assay {

/// The conditions under which a trace is judged.
struct TraceConditions {
  int pages = 0;              ///< number of pages that are mapped for the block
  int data_tlb_entries = 0;   ///< entries of the first-level data TLB (machine/tlb.h)
  bool leaves_cache = false;  ///< whether the largest size leaves the first-level data cache
  /// Whether it may leave it, as it goes to more pages than the cache surely holds and the trace
  /// does not let its accesses there be foreseen.
  bool strays = false;
  /// The number of frames: virtual page p is a view of frame p mod `frames`, which need not be a
  /// power of two. If it is subject::kOwnFrames, no two pages are views of one frame.
  int frames = subject::kOwnFrames;
  std::uint64_t home = 0;      ///< address that the block is taken to lie at (TracedKernel::home)
  std::size_t block_size = 0;  ///< in bytes
};

/// How many of the latest stores a load is compared with. No core's store buffer is known to hold
/// more (Intel Golden Cove: 114; AMD Zen 5: 104, Zen 4: 64); older stores have left it, and their
/// data comes from the cache like any other.
inline constexpr std::int64_t kStoreBuffer = 128;

/// What in a trace gives the block a trait: the first place where it was found.
struct Finding {
  Trait trait = Trait::kSplitLine;
  std::int64_t copy = 0;  ///< number of the copy, from 0
  /// The access that shows the trait; its size is 0 if the trait was found in a status word, or in
  /// the number of pages.
  TracedAccess access{};
  TracedAccess store{};  ///< the earlier access that it depends on, or shares a line with
};

/// An access that makes the block's run depend on assay and not only on the block.
struct Intrusion {
  Reason reason = Reason::kSubjectMemory;  ///< or kRipRelativeCode, for the block's own address
  TracedAccess access;
};

struct TraceFindings {
  Traits traits;
  std::vector<Finding> findings;  ///< one for each trait
  std::optional<Intrusion> intrusion;
};

/// Finds the traits that docs/measuring.md defines under "The trace", except kInputDependent, which
/// the code shows (Block::traits), and kSeveralStates, which visits show. Touches nothing but its
/// arguments.
TraceFindings analyse(const Trace& trace, const TraceConditions& conditions);

/// Describes a finding: "in copy 2 at offset 4 (mov rax, qword ptr [rbx + 62]): 8 bytes at
/// 0x1234563e, across the end of a cache line".
std::string describe(const Finding& finding, const Block& block, const TraceConditions& conditions);
std::string describe(const Intrusion& intrusion, const Block& block);

}  // namespace assay
