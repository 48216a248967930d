#include "profiler/protocol/fixed_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/protocol/judge.h"
#include "profiler/sampling/estimate.h"

namespace assay {
namespace {

constexpr double kFifth = 0.2;

std::vector<double> repetition(const FixedProtocol& protocol, const std::vector<double>& readings,
                               int index) {
  const auto first = readings.begin() + std::ptrdiff_t{index} * protocol.runs;
  return {first, first + protocol.runs};
}

/// What each repetition makes of a size, in ticks.
std::vector<double> aggregates(const FixedProtocol& protocol, const std::vector<double>& readings) {
  std::vector<double> values;
  for (int i = 0; i < protocol.repetitions; ++i) {
    values.push_back(
        aggregated(protocol.aggregate, trimmed(repetition(protocol, readings, i), protocol.trim)));
  }
  return values;
}

double range_without_fifths(const std::vector<double>& readings) {
  const std::vector<double> middle = trimmed(readings, kFifth);
  return middle.back() - middle.front();
}

/// Standard deviation as a share of the mean; 0 for a single value.
double coefficient_of_variation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double mean = aggregated(Aggregate::kMean, values);
  const double squares = std::accumulate(
      values.begin(), values.end(), 0.0,
      [&](double sum, double value) { return sum + (value - mean) * (value - mean); });
  return std::sqrt(squares / static_cast<double>(values.size() - 1)) / std::abs(mean);
}

/// Readings of both sizes that trimming leaves.
std::int64_t kept_runs(const FixedProtocol& protocol) {
  const auto runs = static_cast<std::size_t>(protocol.runs);
  const std::size_t kept = trimmed(std::vector<double>(runs), protocol.trim).size();
  return std::int64_t{2} * protocol.repetitions * static_cast<std::int64_t>(kept);
}

}  // namespace

FixedScale fixed_scale(const Plan& plan, std::uint32_t clock_step, double cycles_per_tick) {
  const auto copies = [&](std::size_t i) {
    return static_cast<double>(plan.sizes.at(i) * plan.body_copies);
  };
  return {copies(0), copies(1), cycles_per_tick, 0, static_cast<double>(clock_step)};
}

FixedEstimate reduce(const FixedProtocol& protocol, const SizedReadings& readings,
                     const FixedScale& scale) {
  const double cycles_per_copy = scale.cycles_per_tick / scale.added_copies();
  const std::vector<double> small = aggregates(protocol, readings.small);
  const std::vector<double> large = aggregates(protocol, readings.large);
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
      (aggregated(protocol.aggregate, large) - aggregated(protocol.aggregate, small)) *
      cycles_per_copy;
  const double scatter = protocol.stability == StabilityRule::kVariation
                             ? found.variation * std::abs(estimate.cycles)
                             : found.spread;
  const double scaling = kNormalQuantile * scale.ratio_error * estimate.cycles;
  estimate.half_width = std::hypot(std::max(scatter, found.resolution), scaling);
  estimate.runs = kept_runs(protocol);
  estimate.dropped =
      static_cast<std::int64_t>(readings.small.size() + readings.large.size()) - estimate.runs;
  return found;
}

bool clock_is_fine(const FixedProtocol& protocol, const FixedScale& scale, double cycles) {
  return scale.resolution() <= protocol.bound_in_cycles(cycles);
}

bool clock_may_be_fine(const FixedProtocol& protocol, const FixedScale& scale) {
  return protocol.stability == StabilityRule::kVariation || clock_is_fine(protocol, scale, 0);
}

std::string describe_coarse_clock(const FixedProtocol& protocol, const FixedScale& scale,
                                  double cycles) {
  const char* const asks = protocol.stability == StabilityRule::kNone ? "prints" : "asks for";
  return fmt::format(
      "the clock's step of {:.0f} ticks, spread over {:.0f} copies, is {:.3f} cycles a copy; the "
      "protocol {} {} {:.3f}; {}",
      scale.clock_step, scale.added_copies(), scale.resolution(), protocol.name, asks,
      std::max(protocol.bound_in_cycles(cycles), 0.0), protocol.advice);
}

bool is_stable(const FixedProtocol& protocol, const FixedEstimate& found) {
  switch (protocol.stability) {
    case StabilityRule::kSpread:
      return found.spread <= protocol.bound;
    case StabilityRule::kVariation:
      return found.variation <= protocol.bound;
    case StabilityRule::kNone:
      break;
  }
  return true;
}

void judge_fixed(Measurement& measurement, const FixedProtocol& protocol, const FixedScale& scale,
                 const FixedEstimate& found, double floor) {
  const Estimate& estimate = found.estimate;
  if (!clock_is_fine(protocol, scale, estimate.cycles)) {
    measurement.outcome = {Reason::kClockTooCoarse,
                           describe_coarse_clock(protocol, scale, estimate.cycles)};
  } else if (is_below(estimate, floor)) {
    measurement.outcome = {Reason::kBelowLimit, describe_below(estimate, floor)};
  } else if (!is_stable(protocol, found) || !(estimate.cycles > estimate.half_width)) {
    measurement.outcome = {
        Reason::kUnstable,
        fmt::format("{:.3f} +- {:.3f} cycles; runs of one size differ by {:.3f}, repetitions "
                    "vary by {:.1f} %",
                    estimate.cycles, estimate.half_width, found.spread, 100 * found.variation)};
  } else {
    measurement.outcome = {Reason::kNone, ""};
  }
}

}  // namespace assay
