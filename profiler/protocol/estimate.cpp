#include "profiler/protocol/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

/// Of 97.5 %; `freedom` >= 5. Cornish and Fisher's expansion (Abramowitz and Stegun, 26.7.5),
/// within 1 % there.
double student_quantile(double freedom) {
  const double z = kNormalQuantile;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

template <typename Item>
double mean_of(const std::vector<Item>& items, double Item::*field) {
  double sum = 0;
  for (const Item& item : items) sum += item.*field;
  return sum / static_cast<double>(items.size());
}

std::array<std::vector<std::uint32_t>, kSlots> by_slot(std::span<const std::uint32_t> readings) {
  std::array<std::vector<std::uint32_t>, kSlots> slots;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Turn& turn = kRound[i % std::size(kRound)];
    if (turn.counts) slots[static_cast<std::size_t>(turn.slot)].push_back(readings[i]);
  }
  return slots;
}

void append(std::array<std::vector<std::uint32_t>, kSlots>& slots,
            const std::array<std::vector<std::uint32_t>, kSlots>& more) {
  for (std::size_t i = 0; i < kSlots; ++i) {
    slots[i].insert(slots[i].end(), more[i].begin(), more[i].end());
  }
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
  if (readings.empty() || readings.size() % std::size(kRound) != 0) {
    throw Error("a series of readings that is no whole number of rounds");
  }
  const Slots everything = by_slot(readings);
  const Point all = point(everything);
  canary_.learn(all.cycles_per_addition);

  Slots kept;
  constexpr std::size_t kSize = kNeighbourhood * std::size(kRound);
  for (std::size_t i = 0; i < readings.size(); i += kSize) {
    const auto rounds = readings.subspan(i, std::min(kSize, readings.size() - i));
    const Slots slots = by_slot(rounds);
    // Written so that a value that is not a number counts as disturbed.
    if (neighbourhood_slowdown(slots, all) <= tolerated_slowdown_) append(kept, slots);
  }
  const std::size_t runs = everything[0].size();
  runs_ += static_cast<std::int64_t>(2 * runs);  // as many of the large kernel as of the small one
  if (2 * kept[0].size() < runs) return false;
  series_.push_back(point(kept));
  near_ = near_series();
  return true;
}

/// By how much the canary's plain mean over a few rounds is above what an undisturbed core gives:
/// not a number if there is nothing to take the mean of.
double Estimator::neighbourhood_slowdown(const Slots& rounds, const Point& series) const {
  // A neighbour takes half of the core at most; what takes far longer is an interrupt, which is one
  // reading's affair.
  constexpr double kInterrupt = 4;
  const auto& small = rounds[static_cast<std::size_t>(Slot::kCanarySmall)];
  const auto& large = rounds[static_cast<std::size_t>(Slot::kCanaryLarge)];
  const double undisturbed =
      2 * series.overhead_ticks + canary_.peak() * sizes_.canary_total_additions / series.ratio;
  double ticks = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < small.size(); ++i) {
    const double pair = static_cast<double>(small[i]) + large[i];
    if (pair > kInterrupt * undisturbed) continue;
    ticks += pair;
    ++pairs;
  }
  const double cycles = (ticks / pairs - 2 * series.overhead_ticks) * series.ratio;
  return canary_.slowdown(cycles / sizes_.canary_total_additions);
}

Estimator::Point Estimator::point(const Slots& slots) const {
  const auto reduce = [&](Slot slot) {
    return robust_mean(slots[static_cast<std::size_t>(slot)], sizes_.clock_step);
  };
  const SampleMean small = reduce(Slot::kSmall);
  const SampleMean large = reduce(Slot::kLarge);
  const SampleMean reference_small = reduce(Slot::kReferenceSmall);
  const SampleMean reference_large = reduce(Slot::kReferenceLarge);
  const double canary_ticks = reduce(Slot::kCanaryLarge).mean - reduce(Slot::kCanarySmall).mean;

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
          small.kept + large.kept};
}

std::vector<Estimator::Point> Estimator::near_series() const {
  constexpr double kErrors = 6;
  constexpr double kShare = 0.03;
  constexpr std::size_t kFewestToTell = 20;
  constexpr std::size_t kRarity = 5;
  std::vector<double> values;
  for (const Point& point : series_) values.push_back(point.cycles);
  const double center = median(std::move(values));
  std::vector<Point> near;
  std::ranges::copy_if(series_, std::back_inserter(near), [&](const Point& point) {
    const double reach = std::max(kErrors * std::sqrt(point.variance), kShare * center);
    return std::abs(point.cycles - center) <= reach;
  });
  const std::size_t far = series_.size() - near.size();
  const bool rare = series_.size() >= kFewestToTell && kRarity * far <= series_.size();
  return rare ? near : series_;
}

int Estimator::series() const { return static_cast<int>(near_.size()); }

Estimate Estimator::estimate() const {
  const auto count = static_cast<double>(near_.size());
  const double mean = mean_of(near_, &Point::cycles);
  double squares = 0;
  double variance = 0;
  std::int64_t runs = 0;
  for (const Point& point : near_) {
    squares += (point.cycles - mean) * (point.cycles - mean);
    variance += point.variance / (count * count);
    runs += point.runs;
  }
  const double scatter = student_quantile(count - 1) * std::sqrt(squares / (count - 1) / count);
  return {mean, std::max(scatter, kNormalQuantile * std::sqrt(variance)), runs, runs_ - runs};
}

double Estimator::core_cycles_per_tick() const { return mean_of(near_, &Point::ratio); }

double Estimator::slowdown() const {
  return canary_.slowdown(mean_of(near_, &Point::cycles_per_addition));
}

}  // namespace assay
