#include "profiler/protocol/estimate.h"

#include <algorithm>
#include <cmath>

#include "profiler/block/error.h"

namespace assay {
namespace {

// Rounds that are judged together: few, for a neighbour may come and go within microseconds, and
// enough for the mean of so many coarse readings to tell 6 %.
constexpr std::size_t kNeighbourhood = 8;

constexpr double kNormalQuantile = 1.96;  // of 97.5 %: a two-sided interval of 95 %

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double far_outlier_distance(std::span<const std::uint32_t> readings, double center,
                            std::uint32_t step) {
  constexpr double kSteps = 3;
  constexpr double kDeviations = 6;
  constexpr double kDeviationOfNormal = 1.4826;  // standard deviation by median absolute deviation
  std::vector<double> distances(readings.size());
  std::ranges::transform(readings, distances.begin(),
                         [&](std::uint32_t reading) { return std::abs(reading - center); });
  return std::max(kSteps * step, kDeviations * kDeviationOfNormal * median(std::move(distances)));
}

double variance_of_mean(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / (count - 1) / count;
}

}  // namespace

SampleMean robust_mean(std::span<const std::uint32_t> readings, std::uint32_t step) {
  const double center = median({readings.begin(), readings.end()});
  const double reach = far_outlier_distance(readings, center, step);
  SampleMean result;
  double sum = 0;
  double squares = 0;
  for (const std::uint32_t reading : readings) {
    const double distance = reading - center;
    if (std::abs(distance) > reach) continue;
    sum += distance;
    squares += distance * distance;
    ++result.kept;
  }
  const auto kept = static_cast<double>(result.kept);
  result.dropped = static_cast<std::int64_t>(readings.size()) - result.kept;
  result.mean = center + sum / kept;
  if (result.kept > 1) {
    result.variance = std::max(0.0, squares - sum * sum / kept) / (kept - 1) / kept;
  }
  return result;
}

bool Estimator::add_series(std::span<const std::uint32_t> readings) {
  if (readings.empty() || readings.size() % kSlots != 0) {
    throw Error("a series of readings that is no whole number of rounds");
  }
  Readings slots[kSlots];
  const auto append = [&slots](std::span<const std::uint32_t> rounds) {
    for (std::size_t i = 0; i < rounds.size(); ++i) slots[i % kSlots].push_back(rounds[i]);
  };
  append(readings);
  const Point all = point(slots);
  canary_.learn(all.cycles_per_addition);

  for (Readings& slot : slots) slot.clear();
  for (std::size_t i = 0; i < readings.size(); i += kNeighbourhood * kSlots) {
    const auto rounds = readings.subspan(i, std::min(kNeighbourhood * kSlots, readings.size() - i));
    // Written so that a value that is not a number counts as disturbed.
    if (neighbourhood_slowdown(rounds, all) <= tolerated_slowdown_) append(rounds);
  }
  const std::size_t kept = slots[0].size() * kSlots;
  if (2 * kept < readings.size()) {
    disturbed_runs_ += static_cast<std::int64_t>(2 * readings.size() / kSlots);
    return false;
  }
  disturbed_runs_ += static_cast<std::int64_t>(2 * (readings.size() - kept) / kSlots);
  for (int i = 0; i < kSlots; ++i) {
    all_[i].insert(all_[i].end(), slots[i].begin(), slots[i].end());
  }
  series_cycles_.push_back(point(slots).cycles);
  return true;
}

/// By how much the canary's plain mean over a few rounds is above what an undisturbed core gives.
double Estimator::neighbourhood_slowdown(std::span<const std::uint32_t> rounds,
                                         const Point& series) const {
  double ticks = 0;
  for (std::size_t i = 0; i < rounds.size(); i += kSlots) {
    ticks += rounds[i + static_cast<std::size_t>(Slot::kCanarySmall)];
    ticks += rounds[i + static_cast<std::size_t>(Slot::kCanaryLarge)];
  }
  ticks /= static_cast<double>(rounds.size() / kSlots);
  const double cycles = (ticks - 2 * series.overhead_ticks) * series.ratio;
  return canary_.slowdown(cycles / sizes_.canary_total_additions);
}

Estimator::Point Estimator::point(const Readings (&slots)[kSlots]) const {
  const auto mean_of = [&](Slot slot) {
    return robust_mean(slots[static_cast<int>(slot)], sizes_.clock_step);
  };
  const SampleMean small = mean_of(Slot::kSmall);
  const SampleMean large = mean_of(Slot::kLarge);
  const SampleMean reference_small = mean_of(Slot::kReferenceSmall);
  const SampleMean reference_large = mean_of(Slot::kReferenceLarge);
  const double canary_ticks = mean_of(Slot::kCanaryLarge).mean - mean_of(Slot::kCanarySmall).mean;

  const double ticks = large.mean - small.mean;
  const double reference_ticks = reference_large.mean - reference_small.mean;
  const double ratio = sizes_.reference_cycles / reference_ticks;
  const double scale = ratio / sizes_.copies;
  const double cycles = ticks * scale;
  const double reference_variance =
      (reference_small.variance + reference_large.variance) / (reference_ticks * reference_ticks);
  const double variance =
      (small.variance + large.variance) * scale * scale + cycles * cycles * reference_variance;
  return {cycles,
          variance,
          ratio,
          canary_ticks * ratio / sizes_.canary_additions,
          reference_small.mean - sizes_.reference_small_cycles / ratio,
          small.kept + large.kept,
          small.dropped + large.dropped};
}

Estimate Estimator::estimate() const {
  const Point all = point(all_);
  double variance = all.variance;
  if (series_cycles_.size() > 1) variance = std::max(variance, variance_of_mean(series_cycles_));
  return {all.cycles, kNormalQuantile * std::sqrt(variance), all.runs,
          all.dropped + disturbed_runs_};
}

double Estimator::core_cycles_per_tick() const { return point(all_).ratio; }

double Estimator::slowdown() const { return canary_.slowdown(point(all_).cycles_per_addition); }

}  // namespace assay
