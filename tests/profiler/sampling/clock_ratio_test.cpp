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

TEST(ClockRatio, IsWhatTheReferenceTakes) {
  ClockRatio ratio;
  EXPECT_FALSE(ratio.known());
  EXPECT_TRUE(add(ratio, 1.4));
  EXPECT_TRUE(ratio.known());
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 1e-9));
}

TEST(ClockRatio, ItsErrorShrinksWithTheSeries) {
  ClockRatio ratio;
  const double ticks = kCycles / 1.4;
  add(ratio, 1.4, 5);
  EXPECT_THAT(ratio.relative_error(), DoubleNear(5 / ticks, 1e-9));
  for (int i = 0; i < 24; ++i) add(ratio, 1.4, 5);
  EXPECT_THAT(ratio.relative_error(), DoubleNear(1 / ticks, 1e-9));
}

TEST(ClockRatio, TakesInWhatChanceExplains) {
  ClockRatio ratio;
  std::mt19937 random(1);
  std::normal_distribution<double> error(0, 0.01);
  const double deviation = 0.01 * kCycles / 1.4;
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(add(ratio, 1.4 * (1 + error(random)), deviation));
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 0.014));
}

TEST(ClockRatio, TakesInATinyChangeHoweverSureItIs) {
  ClockRatio ratio;
  for (int i = 0; i < 10; ++i) add(ratio, 1.4);
  EXPECT_TRUE(add(ratio, 1.4 * 1.004));
}

TEST(ClockRatio, BeginsAnewWhenTheFrequencyChanges) {
  ClockRatio ratio;
  for (int i = 0; i < 50; ++i) add(ratio, 1.4, 2);
  EXPECT_FALSE(add(ratio, 1.3, 2));
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.3, 1e-9));
  EXPECT_THAT(ratio.relative_error(), DoubleNear(2 * 1.3 / kCycles, 1e-9));
  EXPECT_TRUE(add(ratio, 1.3, 2));
}

TEST(ClockRatio, FollowsASlowDrift) {
  ClockRatio ratio;
  double now = 1.4;
  for (int i = 0; i < 1000; ++i) {
    now *= 1 + 1e-5;
    EXPECT_TRUE(add(ratio, now, 5));
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
