#pragma once

#include <cstddef>
#include <cstdint>
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

/// The protocol of another tool: so many runs of a block at two sizes, the larger twice the
/// smaller, each size's readings made one, and the difference.
struct FixedRecipe {
  std::string_view name;

  // The smaller size.
  std::int64_t target_instructions = 0;  ///< copies that make so many; 0: one of `copies`
  std::vector<Copies> copies;            ///< the first that fits, as plan_fixed() has it
  /// Where looped, with `copies` as the body; 0: it knows no loop.
  Iterations iterations{0};

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

/// Abel and Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on Recent Intel
/// Microarchitectures", ICS 2022, on how they measured BHive's blocks anew: r copies make 500
/// instructions; 100 runs; the highest and the lowest fifth of them left out; the median; blocks
/// whose readings differ by more than 0.02 cycles left out. Here the readings are those of one
/// size, divided by r.
FixedRecipe uica_recipe();

/// Chen et al., "BHive: A Benchmark Suite and Measurement Framework for Validating x86-64 Basic
/// Block Performance Models", IISWC 2019, and its profiler: blocks are run 100 and 200 times (its
/// README), larger ones 50 and 100 or 16 and 32 times, so that the copies fit the first-level
/// instruction cache; 16 runs of each (HARNESS_ITERS in its harness.h); the minimum. Its sources
/// leave open where one pair ends and the next begins: the caller of the profiler chooses.
FixedRecipe bhive_recipe();

/// Abel and Reineke, "nanoBench: A Low-Overhead Tool for Running Microbenchmarks on x86 Systems",
/// ISPASS 2020, and its README. Its average leaves out the highest and the lowest fifth. It prints
/// two decimals, and judges nothing.
FixedRecipe nanobench_recipe(const NanobenchOptions& options);

/// Two sizes. Copies in a row are those of the first pair of which the larger number fits the
/// first-level instruction cache (`cache_size`, bytes) beside what runs with them; kTooLarge if
/// none does. A loop makes n and 2n iterations: the recipe's own over its own body, or, where it
/// knows no loop, as many iterations as it takes copies, over a body of `loop_min_instructions`.
std::variant<Plan, Outcome> plan_fixed(const FixedRecipe& recipe, const Block& block, Notion notion,
                                       const Settings& settings, std::size_t cache_size);

}  // namespace assay
