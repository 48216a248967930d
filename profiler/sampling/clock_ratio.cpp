#include "profiler/sampling/clock_ratio.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
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
    if (!has_stepped()) return Fit::kGood;
    window_.erase(window_.begin(), window_.end() - kGroup);
    return Fit::kChanged;
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

/// Whether the latest series together differ from those before them by more than chance and the
/// usual wandering of the frequency explain.
bool ClockRatio::has_stepped() const {
  constexpr std::size_t kFewestBefore = 3 * kGroup;
  constexpr double kErrors = 4.5;
  constexpr double kShare = 0.002;
  if (window_.size() < kFewestBefore + kGroup) return false;
  const Scatter before = scatter(window_.size() - kGroup);
  const double now = mean_of(window_.size() - kGroup, kGroup);
  const double variance = std::max(before.of_groups, before.of_series / kGroup);
  const double error = std::sqrt(variance * (1 + 1 / static_cast<double>(before.groups)));
  return std::abs(now - before.mean) > std::max(kErrors * error, kShare * before.mean);
}

double ClockRatio::mean_of(std::size_t first, std::size_t count) const {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += window_[i].mean.count();
  return sum / static_cast<double>(count);
}

/// The scatter of the first `count` series, of which there must be two groups.
ClockRatio::Scatter ClockRatio::scatter(std::size_t count) const {
  std::vector<double> means;
  Scatter found;
  for (std::size_t first = 0; first + kGroup <= count; first += kGroup) {
    std::array<double, kGroup> values{};
    for (std::size_t i = 0; i < kGroup; ++i) values[i] = window_[first + i].mean.count();
    const auto [mean, variance] = mean_and_variance(values);
    means.push_back(mean);
    found.of_series += variance;
  }
  found.groups = means.size();
  found.of_series /= static_cast<double>(found.groups);
  const auto [mean, variance] = mean_and_variance(means);
  found.mean = mean;
  found.of_groups = variance;
  return found;
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
  constexpr std::size_t kFewestGroups = 4;
  const double level = mean_difference().count();
  const auto own_variance = [&](double of_series) {
    return of_series / static_cast<double>(count);
  };
  if (window_.size() < kFewestGroups * kGroup) {
    // It is not known yet how the frequency wanders: only the block's own series can be believed.
    double of_series = 0;
    for (const Difference& series : window_) of_series += series.variance;
    of_series /= static_cast<double>(window_.size());
    return {difference, std::sqrt(own_variance(of_series)) / level};
  }
  const Scatter found = scatter(window_.size());
  const double own = own_variance(found.of_series);
  double wander = std::max(found.of_groups - found.of_series / kGroup, 0.0);
  // A difference that chance hardly explains shows a change that is younger than the window.
  constexpr double kErrors = 3;
  const double distance = difference * level;
  if (distance * distance > kErrors * kErrors * (own + wander)) wander = distance * distance;
  if (wander + own <= 0) return {0, relative_error()};
  const double weight = wander / (wander + own);
  const double error = std::sqrt(weight * own + variance());
  return {weight * difference, error / level};
}

double ClockRatio::relative_error() const {
  return std::sqrt(variance()) / mean_difference().count();
}

}  // namespace assay
