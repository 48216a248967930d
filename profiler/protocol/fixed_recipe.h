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

/// The most warm-up runs for which a round of both sizes and their companions has room
/// (subject::kMaxKernels).
inline constexpr int kMostWarmUps = 11;

/// When a protocol trusts its readings: its stability rule.
enum class StabilityRule {
  kSpread,     ///< if a size's readings, without a fifth at either end, are close to each other
  kVariation,  ///< if the values of its repetitions have a small coefficient of variation
  kNone,       ///< always
};

/// The protocol of another tool: a number of runs of a block at two sizes, the larger twice the
/// smaller; the readings of each size are aggregated, and the value is the difference.
struct FixedRecipe {
  std::string_view name;

  // What determines the smaller size:
  std::int64_t target_instructions = 0;  ///< what its copies make; 0: it is one of `copies`
  std::vector<Copies> copies;            ///< the first that fits is taken, see plan_fixed()
  /// If looped, the number of iterations, with `copies` as the body; 0: the tool knows no loop.
  Iterations iterations{0};

  int warm_ups = 0;     ///< warm-up runs before each run that counts; at most kMostWarmUps
  int runs = 0;         ///< runs of each size that count, in one repetition
  int repetitions = 1;  ///< how often all those runs are repeated
  double trim = 0;      ///< share of a size's readings that is dropped at either end
  Aggregate aggregate = Aggregate::kMedian;  ///< for the other readings, then for the repetitions

  StabilityRule stability = StabilityRule::kNone;
  /// What the stability rule accepts: for kSpread in core cycles per copy, for kVariation as a
  /// share of the value. For kNone, what the tool's output can resolve, in core cycles per copy.
  double bound = 0;

  std::string_view advice;  ///< what to do about a clock that is too coarse

  /// The bound in core cycles per copy, for a block that takes so many cycles.
  double bound_in_cycles(double cycles) const {
    return stability == StabilityRule::kVariation ? bound * cycles : bound;
  }
};

/// Abel and Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on Recent Intel
/// Microarchitectures", ICS 2022, on how they measured BHive's blocks again: r copies make 500
/// instructions; there are 100 runs, of which the highest and the lowest fifth are left out; the
/// median is taken; blocks whose readings differ by more than 0.02 cycles are left out. Here the
/// readings that must not differ are those of one size, divided by r.
FixedRecipe uica_recipe();

/// Chen et al., "BHive: A Benchmark Suite and Measurement Framework for Validating x86-64 Basic
/// Block Performance Models", IISWC 2019, and its profiler: blocks are run 100 and 200 times
/// (according to its README), larger ones 50 and 100 or 16 and 32 times, so that the copies fit the
/// first-level instruction cache; there are 16 runs of each (HARNESS_ITERS in its harness.h), and
/// the minimum is taken. Its sources do not say where one pair ends and the next begins: the caller
/// of the profiler chooses.
FixedRecipe bhive_recipe();

/// Abel and Reineke, "nanoBench: A Low-Overhead Tool for Running Microbenchmarks on x86 Systems",
/// ISPASS 2020, and its README. Its average leaves out the highest and the lowest fifth. It prints
/// two decimals, and judges nothing.
FixedRecipe nanobench_recipe(const NanobenchOptions& options);

/// Makes a plan with two sizes. Unrolled, it has the first pair of numbers of copies of which the
/// larger fits the first-level instruction cache (of `cache_size` bytes) beside the other code that
/// runs; kTooLarge if none does. A loop makes n and 2n iterations: the recipe's own number over its
/// own body or, if the tool knows no loop, as many iterations as it takes copies, over a body of
/// `loop_min_instructions`.
std::variant<Plan, Outcome> plan_fixed(const FixedRecipe& recipe, const Block& block, Notion notion,
                                       const Settings& settings, std::size_t cache_size);

}  // namespace assay
