#include "profiler/sampling/clock_ratio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiler/sampling/reference.h"

namespace assay {
namespace {

using testing::DoubleNear;

constexpr double kCycles = kReferenceCycles.count();
constexpr double kSmallTicks = 200;

/// Adds a series of a core that makes `cycles_per_tick` cycles a tick; `deviation` is in ticks.
bool add(ClockRatio& ratio, double cycles_per_tick, double deviation = 0) {
  const double variance = deviation * deviation / 2;
  return ratio.add({Reading(kSmallTicks), variance, 8, 0},
                   {Reading(kSmallTicks + kCycles / cycles_per_tick), variance, 8, 0});
}

/// A core whose frequency takes random steps of `wander`, as a share of it, from series to series;
/// the reference in each has an error of `noise`, as a share likewise.
class WanderingCore {
 public:
  WanderingCore(double noise, double wander) : noise_(noise), wander_(wander) {}

  void step(double share) { level_ *= 1 + share; }
  bool add_series(ClockRatio& ratio) {
    level_ *= 1 + wander_ * normal_(random_);
    return add(ratio, level_ * (1 + noise_ * normal_(random_)), noise_ * kCycles / level_);
  }
  /// By how much the ratio is off, as a share.
  double error(const ClockRatio& ratio) const { return ratio.value().value() / level_ - 1; }

 private:
  double noise_;
  double wander_;
  double level_ = 1.4;
  std::mt19937 random_{1};
  std::normal_distribution<double> normal_;
};

TEST(ClockRatio, IsWhatTheReferenceTakes) {
  ClockRatio ratio;
  EXPECT_FALSE(ratio.known());
  EXPECT_TRUE(add(ratio, 1.4));
  EXPECT_TRUE(ratio.known());
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 1e-9));
}

TEST(ClockRatio, WhereTheFrequencyStaysItsErrorShrinksWithTheSeries) {
  constexpr double kNoise = 0.004;
  ClockRatio ratio;
  WanderingCore core(kNoise, 0);
  core.add_series(ratio);
  EXPECT_THAT(ratio.relative_error(), DoubleNear(kNoise, 1e-4));
  EXPECT_EQ(ratio.gain(), 1);
  double squares = 0;
  constexpr int kSeries = 5000;
  for (int i = 0; i < kSeries; ++i) {
    core.add_series(ratio);
    squares += std::pow(core.error(ratio), 2);
  }
  EXPECT_LT(std::sqrt(squares / kSeries), kNoise / 3);
  EXPECT_LT(ratio.gain(), 0.2);
}

TEST(ClockRatio, FollowsAFrequencyThatWanders) {
  constexpr double kNoise = 0.004;
  for (const double wander : {0.0002, 0.001, 0.004}) {
    SCOPED_TRACE(wander);
    ClockRatio ratio;
    WanderingCore core(kNoise, wander);
    for (int i = 0; i < 500; ++i) core.add_series(ratio);
    double squares = 0;
    double claimed = 0;
    constexpr int kSeries = 5000;
    for (int i = 0; i < kSeries; ++i) {
      core.add_series(ratio);
      squares += std::pow(core.error(ratio), 2);
      claimed += std::pow(ratio.relative_error(), 2);
    }
    EXPECT_LT(squares, 1.1 * kSeries * kNoise * kNoise) << "no worse than a series alone";
    EXPECT_THAT(std::sqrt(claimed / squares), testing::AllOf(testing::Gt(0.7), testing::Lt(1.6)))
        << "the error is known";
  }
}

/// A core of a constant frequency that the ratio knows from many series, all of which it took in.
WanderingCore known_core(ClockRatio& ratio, double noise) {
  WanderingCore core(noise, 0);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(core.add_series(ratio));
  return core;
}

TEST(ClockRatio, FollowsAStepThatTwoSeriesShow) {
  constexpr double kNoise = 0.004;
  for (const double step : {-0.2, 0.03, 0.2}) {
    SCOPED_TRACE(step);
    ClockRatio ratio;
    WanderingCore core = known_core(ratio, kNoise);
    core.step(step);
    EXPECT_FALSE(core.add_series(ratio)) << "it may have been an interrupt";
    EXPECT_TRUE(core.add_series(ratio));
    EXPECT_THAT(core.error(ratio), DoubleNear(0, 3 * kNoise));
    EXPECT_EQ(ratio.gain(), 1);
    for (int i = 0; i < 2000; ++i) core.add_series(ratio);
    EXPECT_THAT(core.error(ratio), DoubleNear(0, kNoise));
    EXPECT_LT(ratio.gain(), 0.3) << "the step is forgotten";
  }
}

TEST(ClockRatio, FindsAStepThatSingleSeriesAreTooNoisyToShow) {
  constexpr double kNoise = 0.004;
  for (const double step : {-0.008, 0.008, 0.012}) {
    SCOPED_TRACE(step);
    ClockRatio ratio;
    WanderingCore core = known_core(ratio, kNoise);
    core.step(step);
    for (int i = 0; i < 16; ++i) core.add_series(ratio);
    EXPECT_THAT(core.error(ratio), DoubleNear(0, 3 * ratio.relative_error()));
    EXPECT_LT(ratio.relative_error(), kNoise / 2);
  }
}

TEST(ClockRatio, WeighsASeriesByItsOwnNoise) {
  ClockRatio ratio;
  for (int i = 0; i < 100; ++i) add(ratio, 1.4 * (1 + (i % 2 == 0 ? 0.001 : -0.001)), 1.5);
  EXPECT_FALSE(add(ratio, 1.4 * 1.03, 5)) << "it is sure of itself";
  add(ratio, 1.4, 1.5);
  EXPECT_TRUE(add(ratio, 1.4 * 1.03, 15)) << "it is not";
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 0.003));
}

TEST(ClockRatio, OddSeriesThatDifferAreNoStep) {
  ClockRatio ratio;
  for (int i = 0; i < 50; ++i) add(ratio, 1.4, 2);
  for (const double odd : {1.3, 1.2, 1.1, 1.25}) EXPECT_FALSE(add(ratio, odd, 2));
  EXPECT_TRUE(add(ratio, 1.4, 2));
  EXPECT_FALSE(add(ratio, 1.25, 2)) << "what was odd before is forgotten";
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 1e-9));
}

TEST(ClockRatio, FollowsASlowDrift) {
  ClockRatio ratio;
  double now = 1.4;
  for (int i = 0; i < 1000; ++i) {
    now *= 1 + 4e-6;
    add(ratio, now, 5);
  }
  EXPECT_THAT(ratio.value().value(), DoubleNear(now, 0.002 * now));
}

TEST(ClockRatio, OneThatIsKnownIsOnlyCheckedByTheReference) {
  ClockRatio ratio(CyclesPerReading(1));
  EXPECT_TRUE(ratio.known());
  EXPECT_EQ(ratio.value().value(), 1.0);
  EXPECT_EQ(ratio.relative_error(), 0);
  EXPECT_TRUE(add(ratio, 1.004));
  EXPECT_FALSE(add(ratio, 1.1));
  EXPECT_FALSE(add(ratio, 1.1)) << "it is not learned";
  EXPECT_EQ(ratio.value().value(), 1.0);
}

}  // namespace
}  // namespace assay
