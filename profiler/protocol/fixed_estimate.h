#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/protocol/fixed_recipe.h"
#include "profiler/support/units.h"

namespace assay {

/// The readings of both sizes, in the order in which they were taken.
struct SizedReadings {
  std::vector<double> small, large;
};

/// What readings are scaled by.
struct FixedScale {
  Copies small, large;  ///< in a run of either size
  CyclesPerReading ratio;
  double ratio_error = 0;  ///< standard error of the ratio, as a share of it
  Reading clock_step;

  double added_copies() const { return (large - small).real(); }
  /// What one step of the clock is, in core cycles a copy.
  double resolution() const { return (ratio * clock_step).count() / added_copies(); }
};

/// What a recipe makes of its readings. All but `variation` in core cycles a copy.
struct FixedEstimate {
  /// The half-width is the recipe's own measure of scatter, but at least the clock's resolution,
  /// together with the ratio's own error: `variation` of the value for StabilityRule::kVariation,
  /// `spread` otherwise. It is no 95 % interval in the statistical sense: the tools give none.
  Estimate estimate;
  TimedRuns timed;
  double spread = 0;     ///< of a size without a fifth at either end; of both sizes the larger
  double variation = 0;  ///< coefficient of variation of the repetitions' values; 0 of a single one
  double resolution = 0;  ///< of the clock
};

/// `readings`: runs times repetitions of each size, the first repetition first. Repetitions are
/// aggregated one by one, and their results once more, size by size; the value is the difference of
/// the sizes.
FixedEstimate reduce(const FixedRecipe& recipe, const SizedReadings& readings,
                     const FixedScale& scale);

/// Whether the clock can tell at all if the recipe's rule holds: a step of it is no more than the
/// rule's bound for a block that takes so many cycles.
bool clock_is_fine(const FixedRecipe& recipe, const FixedScale& scale, double cycles);
/// Whether it can for some block: false tells that there is no point in running one.
bool clock_may_be_fine(const FixedRecipe& recipe, const FixedScale& scale);

/// Both numbers, and the way out.
std::string describe_coarse_clock(const FixedRecipe& recipe, const FixedScale& scale,
                                  double cycles);

/// Whether the recipe's own rule accepts it.
bool is_stable(const FixedRecipe& recipe, const FixedEstimate& found);

/// kClockTooCoarse, kBelowLimit for an estimate below `floor` (cycles a copy; 0 if not known),
/// kUnstable by the recipe's own rule or for a value that is not larger than its half-width, or
/// measured.
Outcome judge_fixed(const FixedRecipe& recipe, const FixedScale& scale, const FixedEstimate& found,
                    double floor);

}  // namespace assay
