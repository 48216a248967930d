#include "profiler/protocol/fixed_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

FixedProtocol protocol_of(std::string_view name) {
  return fixed_protocol(default_settings(name)).value();
}

FixedProtocol nanobench(Aggregate aggregate, int runs) {
  Settings settings = default_settings("nanobench");
  settings.nanobench.aggregate = aggregate;
  settings.nanobench.runs = runs;
  return fixed_protocol(settings).value();
}

/// A made-up clock and block: what a run of so many copies reads.
struct Machine {
  double cycles_per_copy = 1;
  double cycles_per_tick = 1;
  double step = 1;    ///< ticks
  double noise = 0;   ///< cycles of each run, at most
  int spoiled = 0;    ///< one run in so many takes ten times as long; 0: none
  unsigned seed = 1;  ///< of phase and noise

  SizedReadings read(const FixedProtocol& protocol, double copies) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    SizedReadings readings;
    for (int i = 0; i < protocol.runs * protocol.repetitions; ++i) {
      for (const bool large : {false, true}) {
        double cycles = 80 + cycles_per_copy * copies * (large ? 2 : 1) + noise * share(random);
        if (spoiled > 0 && i % spoiled == 0) cycles *= 10;
        const double phase = share(random);
        const double ticks = std::floor(cycles / cycles_per_tick / step + phase) * step;
        (large ? readings.large : readings.small).push_back(ticks);
      }
    }
    return readings;
  }
  FixedScale scale(double copies) const { return {copies, 2 * copies, cycles_per_tick, 0, step}; }

  FixedEstimate found(const FixedProtocol& protocol, double copies) const {
    return reduce(protocol, read(protocol, copies), scale(copies));
  }
  Measurement judged(const FixedProtocol& protocol, double copies, double floor = 0) const {
    Measurement measurement;
    judge_fixed(measurement, protocol, scale(copies), found(protocol, copies), floor);
    return measurement;
  }
};

Machine fine(double cycles_per_copy) { return {.cycles_per_copy = cycles_per_copy}; }
/// As the time-stamp counter of Zen 4 under a hypervisor.
Machine coarse(double cycles_per_copy) {
  return {.cycles_per_copy = cycles_per_copy, .cycles_per_tick = 1.425, .step = 26};
}

TEST(FixedEstimateTest, ScaleComesFromThePlan) {
  const FixedScale scale = fixed_scale({Notion::kLooped, 5, {100, 200}}, 26, 1.5);
  EXPECT_EQ(scale.small_copies, 500);
  EXPECT_EQ(scale.large_copies, 1000);
  EXPECT_THAT(scale.resolution(), DoubleNear(26 * 1.5 / 500, 1e-12));
}

TEST(FixedEstimateTest, UicaTakesMediansOfWhatIsLeftOfEachSize) {
  Machine machine = fine(3);
  machine.spoiled = 6;
  const FixedEstimate found = machine.found(protocol_of("uica"), 500);
  EXPECT_THAT(found.estimate.cycles, DoubleNear(3, 0.01));
  EXPECT_EQ(found.estimate.runs, 120);
  EXPECT_EQ(found.estimate.dropped, 80);
  EXPECT_LE(found.spread, 0.02);
  EXPECT_TRUE(is_stable(protocol_of("uica"), found));
}

TEST(FixedEstimateTest, UicaLeavesOutWhatSpreadsByMoreThanItsBound) {
  Machine machine = fine(3);
  machine.noise = 9;  // of which the middle three fifths span 5.4 cycles, 0.011 a copy
  EXPECT_EQ(machine.judged(protocol_of("uica"), 500).outcome.reason, Reason::kNone);
  machine.noise = 30;
  const Measurement scattered = machine.judged(protocol_of("uica"), 500);
  EXPECT_EQ(scattered.outcome.reason, Reason::kUnstable);
  EXPECT_THAT(scattered.outcome.detail, HasSubstr("differ by 0.0"));
}

TEST(FixedEstimateTest, ScatterOfTheSmallerSizeCountsToo) {
  const FixedProtocol protocol = protocol_of("uica");
  const Machine machine = fine(1);
  SizedReadings readings = machine.read(protocol, 500);
  for (std::size_t i = 0; i < readings.small.size(); i += 2) readings.small[i] += 40;
  EXPECT_FALSE(is_stable(protocol, reduce(protocol, readings, machine.scale(500))));
}

TEST(FixedEstimateTest, BhiveTakesMinimaOfAllRepetitions) {
  Machine machine = fine(2);
  machine.spoiled = 2;
  const FixedEstimate found = machine.found(protocol_of("bhive"), 100);
  EXPECT_THAT(found.estimate.cycles, DoubleNear(2, 0.02));
  EXPECT_EQ(found.estimate.runs, 160);
  EXPECT_EQ(found.estimate.dropped, 0);
}

TEST(FixedEstimateTest, BhiveLeavesOutWhatVariesFromRepetitionToRepetition) {
  const FixedProtocol protocol = protocol_of("bhive");
  const Machine machine = fine(2);
  for (const double slower : {1.05, 1.5}) {
    SizedReadings readings = machine.read(protocol, 100);
    for (int i = 0; i < 2 * protocol.runs; ++i)
      readings.large[static_cast<std::size_t>(i)] *= slower;
    const FixedEstimate found = reduce(protocol, readings, machine.scale(100));
    EXPECT_EQ(is_stable(protocol, found), slower < 1.1) << found.variation;
    EXPECT_GE(found.estimate.half_width, found.variation * found.estimate.cycles);
  }
}

TEST(FixedEstimateTest, NanobenchAggregatesAsAsked) {
  const SizedReadings readings = {{100, 101, 102, 103, 190}, {210, 220, 230, 240, 900}};
  const FixedScale scale = {10, 20, 1, 0, 0.01};
  const auto cycles = [&](Aggregate aggregate) {
    return reduce(nanobench(aggregate, 5), readings, scale).estimate.cycles;
  };
  EXPECT_THAT(cycles(Aggregate::kMinimum), DoubleNear(11, 1e-9));
  EXPECT_THAT(cycles(Aggregate::kMedian), DoubleNear(12.8, 1e-9));
  EXPECT_THAT(cycles(Aggregate::kMean), DoubleNear((230 - 102) / 10.0, 1e-9));
}

TEST(FixedEstimateTest, NanobenchAcceptsAnyScatterThatLeavesAValue) {
  Machine machine = fine(3);
  machine.noise = 300;
  EXPECT_EQ(machine.judged(protocol_of("nanobench"), 1000).outcome.reason, Reason::kNone);
  machine.noise = 9000;
  EXPECT_EQ(machine.judged(protocol_of("nanobench"), 1000).outcome.reason, Reason::kUnstable);
}

TEST(FixedEstimateTest, HalfWidthIsNeverLessThanTheClocksResolution) {
  for (const std::string_view name : {"uica", "bhive", "nanobench"}) {
    const FixedEstimate found = coarse(20).found(protocol_of(name), 100);
    EXPECT_THAT(found.resolution, DoubleNear(26 * 1.425 / 100, 1e-9));
    EXPECT_GE(found.estimate.half_width, found.resolution) << name;
    EXPECT_LE(std::abs(found.estimate.cycles - 20), found.estimate.half_width) << name;
  }
}

TEST(FixedEstimateTest, TheRatiosErrorWidensTheHalfWidth) {
  const FixedProtocol protocol = protocol_of("bhive");
  const Machine machine = fine(20);
  FixedScale scale = machine.scale(100);
  scale.ratio_error = 0.05;
  const FixedEstimate found = reduce(protocol, machine.read(protocol, 100), scale);
  EXPECT_GE(found.estimate.half_width, 1.9 * 0.05 * 20);
}

TEST(FixedEstimateTest, ACoarseClockIsSaidToBeCoarse) {
  const Measurement uica = coarse(3).judged(protocol_of("uica"), 500);
  EXPECT_EQ(uica.outcome.reason, Reason::kClockTooCoarse);
  EXPECT_EQ(uica.outcome.verdict(), Verdict::kRejected);
  EXPECT_THAT(uica.outcome.detail, HasSubstr("0.074 cycles a copy"));
  EXPECT_THAT(uica.outcome.detail, HasSubstr("0.020"));
  EXPECT_THAT(uica.outcome.detail, HasSubstr("protocol assay"));
  const Measurement nanobench = coarse(3).judged(protocol_of("nanobench"), 1000);
  EXPECT_EQ(nanobench.outcome.reason, Reason::kClockTooCoarse);
  EXPECT_THAT(nanobench.outcome.detail, HasSubstr("--loop"));
  EXPECT_EQ(coarse(3).judged(protocol_of("nanobench"), 10'000).outcome.reason, Reason::kNone);
}

TEST(FixedEstimateTest, BhivesBoundGrowsWithTheBlock) {
  // A step over 100 copies is 0.37 cycles: a tenth of a block of 3.7.
  EXPECT_EQ(coarse(1).judged(protocol_of("bhive"), 100).outcome.reason, Reason::kClockTooCoarse);
  EXPECT_EQ(coarse(3).judged(protocol_of("bhive"), 100).outcome.reason, Reason::kClockTooCoarse);
  EXPECT_EQ(coarse(5).judged(protocol_of("bhive"), 100).outcome.reason, Reason::kNone);
}

TEST(FixedEstimateTest, AValueThatIsNoneIsNeverMeasured) {
  for (const std::string_view name : {"uica", "bhive", "nanobench"}) {
    EXPECT_NE(fine(0).judged(protocol_of(name), 500).outcome.reason, Reason::kNone) << name;
    EXPECT_NE(coarse(0).judged(protocol_of(name), 10'000).outcome.reason, Reason::kNone) << name;
  }
}

TEST(FixedEstimateTest, BelowTheCoresLimitIsNoValue) {
  EXPECT_EQ(fine(1).judged(protocol_of("uica"), 500, 1).outcome.reason, Reason::kNone);
  EXPECT_EQ(fine(1).judged(protocol_of("uica"), 500, 1.2).outcome.reason, Reason::kBelowLimit);
}

TEST(FixedEstimateTest, OnlyABoundInCyclesRulesAClockOutBeforehand) {
  const FixedScale scale = coarse(1).scale(100);
  EXPECT_FALSE(clock_may_be_fine(protocol_of("uica"), scale));
  EXPECT_FALSE(clock_may_be_fine(protocol_of("nanobench"), scale));
  EXPECT_TRUE(clock_may_be_fine(protocol_of("bhive"), scale));
  EXPECT_TRUE(clock_may_be_fine(protocol_of("uica"), fine(1).scale(100)));
}

}  // namespace
}  // namespace assay
