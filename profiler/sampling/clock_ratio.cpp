#include "profiler/sampling/clock_ratio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {

ClockRatio::Fit ClockRatio::add(const SampleMean& small, const SampleMean& large) {
  const Difference next = {large.mean - small.mean, small.variance + large.variance};
  const bool fits = !known() || is_alike(next, mean_difference(), variance());
  if (fixed_) return fits ? Fit::kGood : Fit::kOdd;
  if (fits) {
    odd_.reset();
    window_.push_back(next);
    if (window_.size() > kWindow) window_.pop_front();
    return Fit::kGood;
  }
  const auto before = std::exchange(odd_, next);
  if (!before || !is_alike(next, before->mean, before->variance)) return Fit::kOdd;
  window_ = {*before, next};
  odd_.reset();
  return Fit::kChanged;
}

bool ClockRatio::is_alike(const Difference& next, Reading mean, double variance) {
  constexpr double kErrors = 5;
  constexpr double kShare = 0.005;
  const double distance = std::abs((next.mean - mean).count());
  return distance <= std::max(kErrors * std::sqrt(next.variance + variance), kShare * mean.count());
}

Reading ClockRatio::mean_difference() const {
  if (fixed_) return fixed_->inverse(kReferenceCycles);
  Reading sum;
  for (const Difference& difference : window_) sum = sum + difference.mean;
  return sum / static_cast<double>(window_.size());
}

double ClockRatio::variance() const {
  if (fixed_) return 0;
  const auto count = static_cast<double>(window_.size());
  const double mean = mean_difference().count();
  double own = 0;
  double scatter = 0;
  for (const Difference& difference : window_) {
    own += difference.variance;
    scatter += std::pow(difference.mean.count() - mean, 2);
  }
  // A series with a single reading of each size knows nothing of its own scatter.
  return std::max(own, scatter) / (count * count);
}

CyclesPerReading ClockRatio::value() const {
  if (!known()) throw Error("a clock's ratio is asked for before any series showed it");
  return {kReferenceCycles, mean_difference()};
}

ClockRatio::Correction ClockRatio::correction(double difference, std::size_t count) const {
  if (fixed_) return {};
  // Series of about one block.
  constexpr std::size_t kGroup = 8;
  constexpr std::size_t kFewestGroups = 4;
  std::vector<double> means;
  double within = 0;
  for (std::size_t first = 0; first + kGroup <= window_.size(); first += kGroup) {
    std::array<double, kGroup> values{};
    for (std::size_t i = 0; i < kGroup; ++i) values[i] = window_[first + i].mean.count();
    const auto [mean, variance] = mean_and_variance(values);
    means.push_back(mean);
    within += variance;
  }
  if (means.size() < kFewestGroups) return {0, relative_error()};
  within /= static_cast<double>(means.size());
  const double between = mean_and_variance(means).variance;
  const double wander = std::max(between - within / kGroup, 0.0);
  const double own = within / static_cast<double>(count);
  if (wander + own <= 0) return {0, relative_error()};
  const double weight = wander / (wander + own);
  const double error = std::sqrt(weight * own + variance());
  return {weight * difference, error / mean_difference().count()};
}

double ClockRatio::relative_error() const {
  return std::sqrt(variance()) / mean_difference().count();
}

}  // namespace assay
