#include "profiler/protocol/fixed_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "profiler/protocol/floor_check.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr double kFifth = 0.2;

/// The readings of one repetition.
std::vector<double> repetition(const FixedRecipe& recipe, const std::vector<double>& readings,
                               int index) {
  const auto first = readings.begin() + std::ptrdiff_t{index} * recipe.runs;
  return {first, first + recipe.runs};
}

/// The aggregates of one size's readings, one for each repetition.
std::vector<double> aggregates(const FixedRecipe& recipe, const std::vector<double>& readings) {
  std::vector<double> values;
  for (int i = 0; i < recipe.repetitions; ++i) {
    values.push_back(
        aggregated(recipe.aggregate, trimmed(repetition(recipe, readings, i), recipe.trim)));
  }
  return values;
}

/// The range of the readings without the highest and the lowest fifth.
double range_without_fifths(const std::vector<double>& readings) {
  const std::vector<double> middle = trimmed(readings, kFifth);
  return middle.back() - middle.front();
}

/// Standard deviation as a share of the mean; 0 for a single value.
double coefficient_of_variation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const auto [mean, variance] = mean_and_variance(values);
  return std::sqrt(variance) / std::abs(mean);
}

/// How many readings of both sizes are left after trimming.
std::int64_t kept_runs(const FixedRecipe& recipe) {
  const auto runs = static_cast<std::size_t>(recipe.runs);
  const std::size_t kept = trimmed(std::vector<double>(runs), recipe.trim).size();
  return std::int64_t{2} * recipe.repetitions * static_cast<std::int64_t>(kept);
}

}  // namespace

FixedEstimate reduce(const FixedRecipe& recipe, const SizedReadings& readings,
                     const FixedScale& scale) {
  const double cycles_per_copy = scale.ratio.value() / scale.added_copies().real();
  const std::vector<double> small = aggregates(recipe, readings.small);
  const std::vector<double> large = aggregates(recipe, readings.large);
  std::vector<double> values(small.size());
  std::ranges::transform(large, small, values.begin(), std::minus());
  FixedEstimate found;
  found.resolution = scale.resolution();
  found.spread =
      std::max(range_without_fifths(readings.small), range_without_fifths(readings.large)) *
      cycles_per_copy;
  found.variation = coefficient_of_variation(values);
  Estimate& estimate = found.estimate;
  estimate.cycles =
      (aggregated(recipe.aggregate, large) - aggregated(recipe.aggregate, small)) * cycles_per_copy;
  const double scatter = recipe.stability == StabilityRule::kVariation
                             ? found.variation * std::abs(estimate.cycles)
                             : found.spread;
  const double scaling = kNormalQuantile * scale.ratio_error * estimate.cycles;
  estimate.half_width = std::hypot(std::max(scatter, found.resolution), scaling);
  found.timed.runs = kept_runs(recipe);
  found.timed.dropped = std::ssize(readings.small) + std::ssize(readings.large) - found.timed.runs;
  return found;
}

bool clock_is_fine(const FixedRecipe& recipe, const FixedScale& scale, double cycles) {
  return scale.resolution() <= recipe.bound_in_cycles(cycles);
}

bool clock_may_be_fine(const FixedRecipe& recipe, const FixedScale& scale) {
  return recipe.stability == StabilityRule::kVariation || clock_is_fine(recipe, scale, 0);
}

std::string describe_coarse_clock(const FixedRecipe& recipe, const FixedScale& scale,
                                  double cycles) {
  const char* const asks = recipe.stability == StabilityRule::kNone ? "prints" : "asks for";
  return fmt::format(
      "the clock's step of {:.0f} ticks, spread over {} copies, is {:.3f} cycles a copy; the "
      "protocol {} {} {:.3f}; {}",
      scale.clock_step.count(), scale.added_copies().count(), scale.resolution(), recipe.name, asks,
      std::max(recipe.bound_in_cycles(cycles), 0.0), recipe.advice);
}

bool is_stable(const FixedRecipe& recipe, const FixedEstimate& found) {
  switch (recipe.stability) {
    case StabilityRule::kSpread:
      return found.spread <= recipe.bound;
    case StabilityRule::kVariation:
      return found.variation <= recipe.bound;
    case StabilityRule::kNone:
      break;
  }
  return true;
}

Outcome judge_fixed(const FixedRecipe& recipe, const FixedScale& scale, const FixedEstimate& found,
                    double floor) {
  const Estimate& estimate = found.estimate;
  if (!clock_is_fine(recipe, scale, estimate.cycles)) {
    return {Reason::kClockTooCoarse, describe_coarse_clock(recipe, scale, estimate.cycles)};
  }
  if (is_below(estimate, floor)) return {Reason::kBelowLimit, describe_below(estimate, floor)};
  if (is_stable(recipe, found) && estimate.cycles > estimate.half_width) {
    return {Reason::kNone, ""};
  }
  return {Reason::kUnstable,
          fmt::format("{:.3f} +- {:.3f} cycles; runs of one size differ by {:.3f}, repetitions "
                      "vary by {:.1f} %",
                      estimate.cycles, estimate.half_width, found.spread, 100 * found.variation)};
}

}  // namespace assay
