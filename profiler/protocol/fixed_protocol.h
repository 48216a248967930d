#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/measurement/aggregate.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// As many as there is room for in a round of both sizes and what runs beside them
/// (subject::kMaxKernels).
inline constexpr int kMostWarmUps = 11;

/// When a protocol trusts its readings.
enum class StabilityRule {
  kSpread,     ///< those of a size, without a fifth at either end, are close to each other
  kVariation,  ///< the values of its repetitions have a small coefficient of variation
  kNone,       ///< always
};

/// A protocol of another tool: so many runs of a block at two sizes, the larger twice the smaller,
/// each size's readings made one, and the difference.
struct FixedProtocol {
  std::string_view name;

  // The smaller size.
  std::int64_t target_instructions = 0;  ///< copies that make so many; 0: one of `copies`
  std::vector<std::int64_t> copies;      ///< the first that fits, as plan_fixed() has it
  std::int64_t turns = 0;  ///< where looped, with `copies` as the body; 0: it knows no loop

  int warm_ups = 0;     ///< runs before each one that counts; at most kMostWarmUps
  int runs = 0;         ///< of each size that count, in one repetition
  int repetitions = 1;  ///< of all that
  double trim = 0;      ///< share of the readings of a size that is dropped at either end
  Aggregate aggregate = Aggregate::kMedian;  ///< of the others, and then of the repetitions

  StabilityRule stability = StabilityRule::kNone;
  /// What the rule accepts: for kSpread in core cycles a copy, for kVariation as a share of the
  /// value. For kNone what its output tells apart, in core cycles a copy.
  double bound = 0;

  std::string_view advice;  ///< what to do about a clock that is too coarse

  /// The bound in core cycles a copy, of a block that takes so many.
  double bound_in_cycles(double cycles) const {
    return stability == StabilityRule::kVariation ? bound * cycles : bound;
  }
};

/// `assay` first.
std::span<const std::string_view> protocol_names();

/// The settings' protocol; nothing for assay's own, whose sizes and runs are not fixed. Throws
/// InputError for a name that does not exist.
std::optional<FixedProtocol> fixed_protocol(const Settings& settings);

/// The settings that a protocol begins with, which others then change. BHive's own: its initial
/// state, one frame, and no block with an access across a cache line.
Settings default_settings(std::string_view protocol);

/// Two sizes. Copies in a row are those of the first pair of which the larger number fits the
/// first-level instruction cache (`cache_size`, bytes) beside what runs with them; kTooLarge if
/// none does. A loop makes n and 2n turns: the protocol's own over its own body, or, where it knows
/// no loop, as many turns as it takes copies, over a body of `loop_min_instructions`.
std::variant<Plan, Outcome> plan_fixed(const FixedProtocol& protocol, const Block& block,
                                       Notion notion, const Settings& settings,
                                       std::size_t cache_size);

}  // namespace assay
