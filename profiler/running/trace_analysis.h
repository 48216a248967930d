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

namespace assay {

/// What a trace is judged against.
struct TraceConditions {
  int pages = 0;             ///< mapped for the block
  int data_tlb_entries = 0;  ///< of the first level (machine/tlb.h)
  /// Virtual page p is a view of frame p mod `frames`; a power of two is not asked for.
  int frames = 1;
  std::uint64_t home = 0;      ///< where the block is taken to lie (TracedKernel::home)
  std::size_t block_size = 0;  ///< bytes
};

/// So many stores back a load is looked for what it depends on. No core's store buffer is known to
/// hold more (Intel Golden Cove: 114; AMD Zen 5: 104, Zen 4: 64); older stores have left it, and
/// their data comes from the cache like any other.
inline constexpr std::int64_t kStoreBuffer = 128;

/// The first thing in a trace that gives the block a trait.
struct Finding {
  Trait trait = Trait::kSplitLine;
  std::int64_t copy = 0;  ///< from 0
  /// What is at fault; of size 0 for what was found in a status word, or in the number of pages.
  TracedAccess access{};
  TracedAccess store{};  ///< the earlier access that it depends on, or shares a line with
};

/// An access that makes the block's run depend on assay and not on the block.
struct Intrusion {
  Reason reason = Reason::kSubjectMemory;  ///< or kRipRelativeCode: the block's own place
  TracedAccess access;
};

struct TraceFindings {
  Traits traits;
  std::vector<Finding> findings;  ///< one for each of the traits
  std::optional<Intrusion> intrusion;
};

/// What docs/measuring.md defines under "The trace", but for kInputDependent, which is in the code
/// (Block::traits). Touches nothing but its arguments.
TraceFindings analyse(const Trace& trace, const TraceConditions& conditions);

/// "in copy 2 at offset 4 (mov rax, qword ptr [rbx + 62]): 8 bytes at 0x1234563e, across the end of
/// a cache line".
std::string describe(const Finding& finding, const Block& block, const TraceConditions& conditions);
std::string describe(const Intrusion& intrusion, const Block& block);

}  // namespace assay
