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

/// What readings are converted to cycles per copy by.
struct FixedScale {
  Copies small, large;  ///< copies in a run of either size
  CyclesPerReading ratio;
  double ratio_error = 0;  ///< standard error of the ratio, as a share of the ratio
  Reading clock_step;

  Copies added_copies() const { return large - small; }
  /// One step of the clock, in core cycles per copy.
  double resolution() const { return (ratio * clock_step).count() / added_copies().real(); }
};

/// What a recipe makes of its readings. All but `variation` is in core cycles per copy.
struct FixedEstimate {
  /// The half-width is the recipe's own measure of scatter (`variation` of the value for
  /// StabilityRule::kVariation, `spread` otherwise), but at least the clock's resolution, combined
  /// with the ratio's own error. It is not a 95 % interval in the statistical sense, which the
  /// tools do not give.
  Estimate estimate;
  TimedRuns timed;
  double spread = 0;  ///< range of a size's readings without a fifth at either end; the larger one
  double variation = 0;   ///< coefficient of variation of the repetitions; 0 if there is one only
  double resolution = 0;  ///< FixedScale::resolution()
};

/// Reduces readings to a value. Of each size there must be as many readings as runs times
/// repetitions, in order of repetitions. Each repetition is aggregated, and then these aggregates
/// are, size by size; the value is the difference of the sizes.
FixedEstimate reduce(const FixedRecipe& recipe, const SizedReadings& readings,
                     const FixedScale& scale);

/// Whether the clock is fine enough for the recipe's rule to mean anything: one step of it is at
/// most the rule's bound for a block that takes so many cycles.
bool clock_is_fine(const FixedRecipe& recipe, const FixedScale& scale, double cycles);
/// Whether the clock is fine enough for some block; if not, there is no point in running any.
bool clock_may_be_fine(const FixedRecipe& recipe, const FixedScale& scale);

/// Describes a clock that is too coarse: its resolution, the bound, and what to do about it.
std::string describe_coarse_clock(const FixedRecipe& recipe, const FixedScale& scale,
                                  double cycles);

/// Whether the recipe's own rule accepts the estimate.
bool is_stable(const FixedRecipe& recipe, const FixedEstimate& found);

/// The outcome: kClockTooCoarse; kBelowLimit for an estimate below `floor` (cycles per copy; 0 if
/// not known); kUnstable by the recipe's own rule, or for a value that is not larger than its
/// half-width; otherwise measured.
Outcome judge_fixed(const FixedRecipe& recipe, const FixedScale& scale, const FixedEstimate& found,
                    double floor);

}  // namespace assay
