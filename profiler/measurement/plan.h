#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// How a block will be run.
struct Plan {
  Notion notion = Notion::kUnrolled;
  std::int64_t body_copies = 1;  ///< of a loop; 1 if unrolled
  /// From the smallest on, in copies in a row, or in turns of the loop: n, 2n and 4n; protocols of
  /// fixed sizes have two of their own.
  std::vector<std::int64_t> sizes;
  int raised = 0;  ///< times that n was raised

  bool operator==(const Plan&) const = default;

  /// n in copies of the block; 0 if there is no plan.
  std::int64_t copies() const { return sizes.empty() ? 0 : sizes[0] * body_copies; }
};

/// The fewest copies that make so many instructions, of which one copy has `in_copy`.
std::int64_t copies_making(std::int64_t instructions, std::int64_t in_copy);

/// kTooLarge if so many copies do not fit the first-level instruction cache (`cache_size`, bytes)
/// beside what runs with them; nothing if they do.
std::optional<Outcome> no_room(const Block& block, std::int64_t copies, std::size_t cache_size);

/// Three sizes: n, 2n and 4n, where n is about the smallest number of copies that makes
/// `target_instructions`, rounded up so that all sizes end alike (at a multiple of 64 bytes, if
/// that adds little); or less where 4n copies would be more than 8 KiB: the micro-op cache would
/// not hold them together with all that runs beside them (Zen 4: from 12 to 16 KiB on, by
/// instruction), and they would be timed by how fast they are decoded. If even four copies are
/// more, n is 1. kTooLarge if they do not fit the first-level instruction cache (`cache_size`,
/// bytes).
///
/// A loop, whose code is short, makes twice as many instructions, in at least 128 turns: what its
/// end costs, which a predictor may or may not foresee, must not matter.
std::variant<Plan, Outcome> make_plan(const Block& block, Notion notion, const Settings& settings,
                                      std::size_t cache_size);

/// The same with a larger n, for a block whose first copies differ from those that follow: of
/// copies in a row 2n, 3n and 4n, which takes no more code; of a loop twice as many turns. Nothing
/// if it was raised so before, for a loop five times.
std::optional<Plan> raised(const Plan& plan);

/// The same at a smaller size: about this share (below 1) of it, but no fewer than 16 copies at the
/// largest size; and ending alike, as far as that makes them no more.
Plan shortened(const Plan& plan, const Block& block, double share);

/// What a copy in a row, or a turn of the loop, asks of the core at least: that of its copies, and
/// of a turn the loop's own DEC and the branch that leads back.
Demand demand_of(const Block& block, const Plan& plan);
/// Core cycles that a copy takes at least on a core of these limits.
double floor_of(const Plan& plan, const Block& block, const MachineLimits& limits);

}  // namespace assay
