#include "profiler/sampling/clock_ratio.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "profiler/sampling/reference.h"

namespace assay {
namespace {

using testing::DoubleNear;
using Fit = ClockRatio::Fit;

constexpr double kCycles = kReferenceCycles.count();
constexpr double kSmallTicks = 200;

/// Adds a series of a core that makes `cycles_per_tick` cycles a tick; `deviation` is in ticks.
ClockRatio::Fit add(ClockRatio& ratio, double cycles_per_tick, double deviation = 0) {
  const double variance = deviation * deviation / 2;
  return ratio.add({Reading(kSmallTicks), variance, 8, 0},
                   {Reading(kSmallTicks + kCycles / cycles_per_tick), variance, 8, 0});
}

TEST(ClockRatio, IsWhatTheReferenceTakes) {
  ClockRatio ratio;
  EXPECT_FALSE(ratio.known());
  EXPECT_EQ(add(ratio, 1.4), Fit::kGood);
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
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(add(ratio, 1.4 * (1 + error(random)), deviation), Fit::kGood);
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 0.014));
}

TEST(ClockRatio, TakesInATinyChangeHoweverSureItIs) {
  ClockRatio ratio;
  for (int i = 0; i < 10; ++i) add(ratio, 1.4);
  EXPECT_EQ(add(ratio, 1.4 * 1.004), Fit::kGood);
}

TEST(ClockRatio, BeginsAnewWhenTheFrequencyChanges) {
  ClockRatio ratio;
  for (int i = 0; i < 50; ++i) add(ratio, 1.4, 2);
  EXPECT_EQ(add(ratio, 1.3, 2), Fit::kOdd);
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 1e-9)) << "it may have been an interrupt";
  EXPECT_EQ(add(ratio, 1.3, 2), Fit::kChanged);
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.3, 1e-9));
  EXPECT_THAT(ratio.relative_error(), DoubleNear(std::sqrt(2.0) * 1.3 / kCycles, 1e-9));
  EXPECT_EQ(add(ratio, 1.3, 2), Fit::kGood);
}

TEST(ClockRatio, ASmallStepIsFoundInSeveralSeries) {
  // A step of 2 % is within five standard errors of a single series.
  constexpr double kNoise = 0.005;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, kNoise);
  ClockRatio ratio;
  const auto next = [&](double level) {
    return add(ratio, level * (1 + noise(random)), kNoise * kCycles / level);
  };
  for (int i = 0; i < 400; ++i) ASSERT_EQ(next(1.4), Fit::kGood) << i;
  int series = 1;
  while (next(1.43) != Fit::kChanged) ASSERT_LT(++series, 12);
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.43, 0.02));
  for (int i = 0; i < 100; ++i) next(1.43);
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.43, 0.003));
}

TEST(ClockRatio, OddSeriesThatDifferAreNoChange) {
  ClockRatio ratio;
  for (int i = 0; i < 50; ++i) add(ratio, 1.4, 2);
  for (const double odd : {1.3, 1.2, 1.1, 1.25}) EXPECT_EQ(add(ratio, odd, 2), Fit::kOdd);
  EXPECT_EQ(add(ratio, 1.4, 2), Fit::kGood);
  EXPECT_EQ(add(ratio, 1.25, 2), Fit::kOdd) << "what was odd before is forgotten";
  EXPECT_THAT(ratio.value().value(), DoubleNear(1.4, 1e-9));
}

TEST(ClockRatio, CorrectsWhatWandersAndNotWhatIsNoise) {
  std::mt19937 random(1);
  for (const double wander : {0.0, 0.01}) {
    SCOPED_TRACE(wander);
    constexpr double kNoise = 0.004;
    std::normal_distribution<double> noise(0, kNoise), frequency(0, wander);
    ClockRatio ratio;
    double now = 0;
    for (int i = 0; i < 512; ++i) {
      if (i % 8 == 0) now = wander > 0 ? frequency(random) : 0;
      add(ratio, 1.4 * (1 + now + noise(random)), kNoise * kCycles / 1.4);
    }
    const auto correction = ratio.correction(0.004, 8);
    if (wander > 0) {
      EXPECT_THAT(correction.share, DoubleNear(0.004, 0.0004));
      EXPECT_THAT(correction.error, DoubleNear(kNoise / std::sqrt(8.0), 0.0004));
    } else {
      EXPECT_LT(correction.share, 0.0015) << "the ratio of all is surer";
      EXPECT_LT(correction.error, kNoise / std::sqrt(8.0));
    }
  }
  EXPECT_EQ(ClockRatio(CyclesPerReading(1)).correction(0.01, 8).share, 0);
}

TEST(ClockRatio, FollowsASlowDrift) {
  ClockRatio ratio;
  double now = 1.4;
  for (int i = 0; i < 1000; ++i) {
    now *= 1 + 4e-6;
    EXPECT_EQ(add(ratio, now, 5), Fit::kGood);
  }
  EXPECT_THAT(ratio.value().value(), DoubleNear(now, 0.002 * now));
}

TEST(ClockRatio, OneThatIsKnownIsOnlyCheckedByTheReference) {
  ClockRatio ratio(CyclesPerReading(1));
  EXPECT_TRUE(ratio.known());
  EXPECT_EQ(ratio.value().value(), 1.0);
  EXPECT_EQ(ratio.relative_error(), 0);
  EXPECT_EQ(add(ratio, 1.004), Fit::kGood);
  EXPECT_EQ(add(ratio, 1.1), Fit::kOdd);
  EXPECT_EQ(add(ratio, 1.1), Fit::kOdd) << "it is not learned";
  EXPECT_EQ(ratio.value().value(), 1.0);
}

}  // namespace
}  // namespace assay
