#include "profiler/sampling/clock_ratio.h"

#include <algorithm>
#include <cmath>

#include "profiler/sampling/keep_latest.h"
#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr int kGroup = 8;  // series

/// A mean of squares takes in none that is larger than so many times itself: a step of the
/// frequency says little about how it wanders otherwise.
constexpr double kMostOfMean = 25;
constexpr long kFewestOfMean = 16;

double bounded(double square, double mean, long count) {
  return count < kFewestOfMean ? square : std::min(square, kMostOfMean * mean);
}

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
  // Even a frequency that was never seen to move is believed to: the ratio rests on some dozen
  // series at most.
  constexpr double kLeastWander = 1.0 / (32 * 32);
  take_into(own_noise_, variance, ++seen_, kMemory);
  // A single reading of each size knows nothing of its own scatter.
  const double noise = std::max(variance, scatter_);
  if (seen_ == 1) {
    begin_at(difference, noise);
  } else {
    const double before = level_variance_ + std::max(wander_, kLeastWander * noise);
    const double error = std::sqrt(before + noise);
    const double innovation = difference - level_;
    if (std::abs(innovation) <= kErrors * error) {
      gain_ = error > 0 ? before / (before + noise) : 1;
      level_ += gain_ * innovation;
      level_variance_ = (1 - gain_) * before;
      note({difference, noise, error > 0 ? innovation / error : 0});
    } else if (odd_ && std::abs(difference - *odd_) <= kErrors * std::sqrt(2 * noise)) {
      begin_at((difference + *odd_) / 2, noise / 2);
    } else {
      odd_ = difference;
      return false;
    }
  }
  odd_.reset();
  learn_scatter(difference);
  return true;
}

/// Finds steps that a single series is too noisy to show: then the latest series together are
/// farther from what was foretold than chance explains.
void ClockRatio::note(const Innovation& innovation) {
  constexpr std::size_t kSeries = 8;
  constexpr double kErrors = 3.5;
  keep_latest(latest_, innovation, kSeries);
  // Of a step in the middle, the later half shows all of it.
  for (const std::size_t count : {kSeries / 2, kSeries}) {
    if (latest_.size() < count) continue;
    double sum = 0;
    double level = 0;
    double noise = 0;
    for (std::size_t i = latest_.size() - count; i < latest_.size(); ++i) {
      sum += latest_[i].errors;
      level += latest_[i].difference;
      noise += latest_[i].noise;
    }
    const auto n = static_cast<double>(count);
    if (std::abs(sum) > kErrors * std::sqrt(n)) return begin_at(level / n, noise / (n * n));
  }
}

void ClockRatio::begin_at(double level, double variance) {
  level_ = level;
  level_variance_ = variance;
  gain_ = 1;
  latest_.clear();
}

void ClockRatio::learn_scatter(double difference) {
  constexpr long kChanges = 256;
  constexpr long kSteps = 32;
  if (before_) {
    const double change = bounded(std::pow(difference - *before_, 2), squared_changes_, changes_);
    ++changes_;
    take_into(squared_changes_, change, changes_, kChanges);
  }
  before_ = difference;
  group_sum_ += difference;
  if (++grouped_ < kGroup) return;
  const double mean = group_sum_ / kGroup;
  if (group_before_) {
    const double step = bounded(std::pow(mean - *group_before_, 2), squared_steps_, steps_);
    ++steps_;
    take_into(squared_steps_, step, steps_, kSteps);
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
