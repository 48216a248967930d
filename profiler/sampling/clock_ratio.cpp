#include "profiler/sampling/clock_ratio.h"

#include <algorithm>
#include <cmath>

#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {

bool ClockRatio::add(const SampleMean& small, const SampleMean& large) {
  constexpr double kErrors = 5;
  constexpr double kShare = 0.005;
  const Difference next = {large.mean - small.mean, small.variance + large.variance};
  bool steady = true;
  if (known()) {
    const double distance = std::abs((next.mean - mean_difference()).count());
    const double reach = std::max(kErrors * std::sqrt(next.variance + variance()),
                                  kShare * mean_difference().count());
    steady = distance <= reach;
  }
  if (fixed_) return steady;
  if (!steady) window_.clear();
  window_.push_back(next);
  if (window_.size() > kWindow) window_.pop_front();
  return steady;
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
  double sum = 0;
  for (const Difference& difference : window_) sum += difference.variance;
  return sum / (count * count);
}

CyclesPerReading ClockRatio::value() const {
  if (!known()) throw Error("a clock's ratio is asked for before any series showed it");
  return {kReferenceCycles, mean_difference()};
}

double ClockRatio::relative_error() const {
  return std::sqrt(variance()) / mean_difference().count();
}

}  // namespace assay
