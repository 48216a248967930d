#pragma once

#include <cstddef>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"

// The sizes at which assay's own protocol runs a block.

namespace assay {

/// Three sizes: n, 2n and 4n, where n is about the smallest number of copies that makes
/// `target_instructions`, rounded up so that all sizes end alike (at a multiple of 64 bytes, if
/// that adds little); or less where 4n copies would be more than 8 KiB: the micro-op cache would
/// not hold them together with all that runs beside them (Zen 4: from 12 to 16 KiB on, by
/// instruction), and they would be timed by how fast they are decoded. If even four copies are
/// more, n is 1. kTooLarge if they do not fit the first-level instruction cache (`cache_size`,
/// bytes).
///
/// A loop, whose code is short, makes twice as many instructions, in at least 128 iterations: what
/// its end costs, which a predictor may or may not foresee, must not matter.
std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size);

/// The same with a larger n, for a block whose first copies differ from those that follow: of
/// copies in a row 2n, 3n and 4n, which takes no more code; of a loop twice as many iterations.
/// Nothing if it was raised so before, for a loop five times.
std::optional<Plan> raised(const Plan& plan);

/// The same at a smaller size: about this share (below 1) of it, but no fewer than 16 iterations at
/// the largest size; and ending alike, as far as that makes them no more.
Plan shortened(const Plan& plan, const Block& block, double share);

}  // namespace assay
