#include "profiler/sampling/clock_ratio.h"

#include <algorithm>
#include <cmath>

#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr int kGroup = 8;  // series

/// Takes a value into a mean over about the latest `memory` values, of which this is number
/// `count`, from 1.
void take_into(double& mean, double value, long count, long memory) {
  mean += (value - mean) / static_cast<double>(std::min(count, memory));
}

}  // namespace

ClockRatio::ClockRatio(std::optional<CyclesPerReading> known) : fixed_(known) {
  if (fixed_) level_ = fixed_->inverse(kReferenceCycles).count();
}

bool ClockRatio::add(const SampleMean& small, const SampleMean& large) {
  const double difference = (large.mean - small.mean).count();
  const double variance = small.variance + large.variance;
  if (!fixed_) return learn(difference, variance);
  constexpr double kErrors = 5;
  constexpr double kShare = 0.005;
  return std::abs(difference - level_) <= std::max(kErrors * std::sqrt(variance), kShare * level_);
}

bool ClockRatio::learn(double difference, double variance) {
  constexpr long kMemory = 64;  // series
  constexpr double kErrors = 4.5;
  take_into(own_noise_, variance, ++seen_, kMemory);
  noise_ = std::max(own_noise_, scatter_);
  const double before = level_variance_ + wander_;
  const double distance = std::abs(difference - level_);
  if (seen_ == 1) {
    begin_at(difference, noise_);
  } else if (distance <= kErrors * std::sqrt(before + noise_)) {
    gain_ = before + noise_ > 0 ? before / (before + noise_) : 1;
    level_ += gain_ * (difference - level_);
    level_variance_ = (1 - gain_) * before;
  } else if (odd_ && std::abs(difference - *odd_) <= kErrors * std::sqrt(2 * noise_)) {
    begin_at((difference + *odd_) / 2, noise_ / 2);
  } else {
    odd_ = difference;
    return false;
  }
  odd_.reset();
  learn_scatter(difference);
  return true;
}

void ClockRatio::begin_at(double level, double variance) {
  level_ = level;
  level_variance_ = variance;
  gain_ = 1;
}

void ClockRatio::learn_scatter(double difference) {
  constexpr long kChanges = 256;
  if (before_)
    take_into(squared_changes_, std::pow(difference - *before_, 2), ++changes_, kChanges);
  before_ = difference;
  group_sum_ += difference;
  if (++grouped_ < kGroup) return;
  constexpr long kSteps = 32;
  const double mean = group_sum_ / kGroup;
  if (group_before_) {
    take_into(squared_steps_, std::pow(mean - *group_before_, 2), ++steps_, kSteps);
  }
  group_before_ = mean;
  group_sum_ = 0;
  grouped_ = 0;
  // If the level moves by independent steps of variance w, and series have the noise v, then two
  // series in succession differ by 2 v + w, in squares, and the means of two groups of g series by
  // 2 v / g + (2 g^2 + 1) / (3 g) w.
  constexpr double kSpan = (2.0 * kGroup * kGroup + 1) / (3.0 * kGroup);
  constexpr double kOne = 1.0 / kGroup;
  wander_ = std::max(squared_steps_ - kOne * squared_changes_, 0.0) / (kSpan - kOne);
  scatter_ = std::max(squared_changes_ - wander_, 0.0) / 2;
}

CyclesPerReading ClockRatio::value() const {
  if (!known()) throw Error("a clock's ratio is asked for before any series showed it");
  return {kReferenceCycles, Reading(level_)};
}

double ClockRatio::relative_error() const { return std::sqrt(level_variance_) / level_; }

}  // namespace assay
