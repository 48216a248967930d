#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"
#include "profiler/support/units.h"

namespace assay {

/// How a block will be run.
struct Plan {
  Notion notion = Notion::kUnrolled;
  Copies body{1};  ///< in the body: of a loop one or more, unrolled one
  /// From the smallest on: the body follows itself so often, in a row or in a loop. Each protocol
  /// chooses its own, three at most.
  std::vector<Iterations> sizes;
  int raised = 0;  ///< times that a larger plan took the place of one that gave no value

  bool operator==(const Plan&) const = default;

  /// Copies that a run of a size holds. `size`: from 0.
  Copies copies(std::size_t size) const { return Copies(sizes.at(size).count() * body.count()); }
  /// The unroll factor n: copies of the smallest size; 0 if there is no plan.
  Copies fewest_copies() const { return sizes.empty() ? Copies() : copies(0); }
  Copies most_copies() const { return sizes.empty() ? Copies() : copies(sizes.size() - 1); }
  /// That the largest size has more than the smallest.
  Copies added_copies() const { return most_copies() - fewest_copies(); }
};

/// The fewest copies that make so many instructions, of which one copy has `in_copy`.
Copies copies_making(std::int64_t instructions, std::int64_t in_copy);

/// kTooLarge if so many copies do not fit the first-level instruction cache (`cache_size`, bytes)
/// beside what runs with them; nothing if they do.
std::optional<Outcome> no_room(const Block& block, Copies copies, std::size_t cache_size);

/// What the body asks of the core at least each time: that of its copies, and in a loop of its own
/// DEC and the branch that leads back.
Demand demand_of(const Block& block, const Plan& plan);
/// Core cycles that a copy takes at least on a core of these limits.
double floor_of(const Plan& plan, const Block& block, const MachineLimits& limits);

}  // namespace assay
