#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"

// The sizes at which assay's own protocol runs a block.

namespace assay {

/// Makes a plan with three sizes, n, 2n and 6n. n is about the smallest number of copies that makes
/// `target_instructions`, rounded up so that all sizes end with the same alignment (at a multiple
/// of 64 bytes, if that adds little). n is smaller if 6n copies would take more than 6 KiB: the
/// micro-op cache would not hold them together with all that runs beside them (Zen 4: from 12 to 16
/// KiB on, Zen 5: from 8 KiB on, depending on the instructions), and their time would be that of
/// decoding them. If even six copies take more, the sizes are 1, 2 and 4. Refuses by kTooLarge if
/// they do not fit the first-level instruction cache (of `cache_size` bytes).
///
/// A loop, whose code is short, makes twice as many instructions, in at least 64 iterations, so
/// that the cost of its end, which a predictor may or may not foresee, does not matter.
std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size);

/// The plan with a larger n, for a block whose first copies differ from those that follow: unrolled
/// 2n, 4n and 6n copies, which takes no more code; in a loop twice as many iterations. Nothing if
/// an unrolled plan was raised before, or a loop's plan five times.
std::optional<Plan> raised(const Plan& plan);

/// The plan with a smaller n: about `share` (below 1) of it, but no fewer than 12 iterations at the
/// largest size. Sizes end with the same alignment, as far as that does not make n larger than
/// before.
Plan shortened(const Plan& plan, const Block& block, double share);

}  // namespace assay
