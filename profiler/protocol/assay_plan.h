#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"

// The sizes at which assay's own protocol runs a block.

namespace assay {

/// Makes a plan with three sizes, n, 2n and 3n. n is about the smallest number of copies that makes
/// `target_instructions`, rounded so that all sizes begin and end with the same alignment (at a
/// multiple of 64 bytes, if that changes little). n is smaller if 3n copies would take more than a
/// page: the step into another may cost what no copy does, and what is much longer is not run from
/// the micro-op cache (Features::fed_instructions), so that its time would be that of decoding it.
/// It is 1 if even three copies take more. Refuses by kTooLarge if four of them do not fit the
/// first-level instruction cache (of `cache_size` bytes).
///
/// A loop, whose code is short, makes four times as many instructions, in at least 128 iterations,
/// so that the cost of its end, which a predictor may or may not foresee, does not matter.
///
/// Straight-line code that loads and stores is warmed up as much as raised() would have it.
std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size);

/// Whether the plan is for a loop whose body is the block alone, which ends in a branch.
bool is_loop_by_itself(const Plan& plan, const Block& block);

/// The plan for a block whose first copies differ from those that follow. An unrolled one first
/// has more runs that warm up, for the core may not have learned the block's loads yet. Then it has
/// a larger n, as a block may need that fills a store buffer: twice the copies or iterations; 2, 3
/// and 4 copies where there is no room for more. What needs that waits for something else than its
/// instructions. Where twice the copies would leave the first-level data cache, as many as it holds
/// (within_cache) are the largest size, and half of them the smallest; then two thirds. (On a
/// Golden Cove, `push rbx; sub rsp, 16` takes 0.50 cycles up to some 500 copies and 0.63 from there
/// on, for its stores leave the buffer more slowly than they come.) So it is
/// where they would be more than the front end is sure to feed (fed_alike). Nothing if an unrolled
/// plan was raised twice before (four times where the cache bounds it), or a loop's plan five
/// times, or if there is room for nothing more.
std::optional<Plan> raised(const Plan& plan);

/// The plan with its first stores held (FirstStores), whose smallest size is half of the largest at
/// least, if that leaves room for three: until the chain that holds them ends, copies take no time.
Plan held(const Plan& plan);

/// The plan with twice the copies or iterations; nothing if n is 1.
std::optional<Plan> doubled(const Plan& plan);

/// The plan whose largest size is as long as the front end is sure to feed (Plan::fed_alike): about
/// n, 3n and 5n copies, which begin at one place (Plan::period()), staggered. Nothing if that is no
/// longer, or if it is not known how long that is.
std::optional<Plan> filling_front_end(const Plan& plan);

/// The plan with a smaller n: about `share` (below 1) of it, but no fewer than 12 iterations at the
/// largest size. Sizes end with the same alignment, as far as that does not make n larger than
/// before. Where copies have places (Plan::copy_bytes), it is the largest size that becomes about
/// that share, of 20 copies at least, and the others are as in filling_front_end().
Plan shortened(const Plan& plan, const Block& block, double share);

}  // namespace assay
