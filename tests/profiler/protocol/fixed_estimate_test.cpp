#include "profiler/protocol/fixed_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace assay {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;

FixedRecipe recipe_of(std::string_view name) {
  if (name == "uica") return uica_recipe();
  return name == "bhive" ? bhive_recipe() : nanobench_recipe({});
}

FixedRecipe nanobench(Aggregate aggregate, int runs) {
  NanobenchOptions options;
  options.aggregate = aggregate;
  options.runs = runs;
  return nanobench_recipe(options);
}

/// A made-up clock and block, from which readings of runs are computed.
struct Machine {
  double cycles_per_copy = 1;
  double cycles_per_tick = 1;
  double step = 1;    ///< step of the clock in ticks
  double noise = 0;   ///< at most so many cycles more in a run
  int spoiled = 0;    ///< one run in so many takes ten times as long; 0: none
  unsigned seed = 1;  ///< for phase and noise

  SizedReadings read(const FixedRecipe& recipe, double copies) const {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    SizedReadings readings;
    for (int i = 0; i < recipe.runs * recipe.repetitions; ++i) {
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
  FixedScale scale(double copies) const {
    const Copies n(static_cast<std::int64_t>(copies));
    return {n, n * 2, CyclesPerReading(cycles_per_tick), 0, Reading(step)};
  }

  FixedEstimate found(const FixedRecipe& recipe, double copies) const {
    return reduce(recipe, read(recipe, copies), scale(copies));
  }
  Outcome judged(const FixedRecipe& recipe, double copies, double floor = 0) const {
    return judge_fixed(recipe, scale(copies), found(recipe, copies), floor);
  }
};

Machine fine(double cycles_per_copy) { return {.cycles_per_copy = cycles_per_copy}; }
/// A clock like the time-stamp counter of Zen 4 under a hypervisor.
Machine coarse(double cycles_per_copy) {
  return {.cycles_per_copy = cycles_per_copy, .cycles_per_tick = 1.425, .step = 26};
}

TEST(FixedEstimateTest, AStepOfTheClockIsSpreadOverTheCopies) {
  const FixedScale scale = {Copies(500), Copies(1000), CyclesPerReading(1.5), 0, Reading(26)};
  EXPECT_THAT(scale.resolution(), DoubleNear(26 * 1.5 / 500, 1e-12));
}

TEST(FixedEstimateTest, UicaTakesMediansOfWhatIsLeftOfEachSize) {
  Machine machine = fine(3);
  machine.spoiled = 6;
  const FixedEstimate found = machine.found(recipe_of("uica"), 500);
  EXPECT_THAT(found.estimate.cycles, DoubleNear(3, 0.01));
  EXPECT_EQ(found.timed.runs, 120);
  EXPECT_EQ(found.timed.dropped, 80);
  EXPECT_LE(found.spread, 0.02);
  EXPECT_TRUE(is_stable(recipe_of("uica"), found));
}

TEST(FixedEstimateTest, UicaLeavesOutWhatSpreadsByMoreThanItsBound) {
  Machine machine = fine(3);
  machine.noise = 9;  // its middle three fifths span 5.4 cycles, which is 0.011 a copy
  EXPECT_EQ(machine.judged(recipe_of("uica"), 500).reason, Reason::kNone);
  machine.noise = 30;
  const Outcome scattered = machine.judged(recipe_of("uica"), 500);
  EXPECT_EQ(scattered.reason, Reason::kUnstable);
  EXPECT_THAT(scattered.detail, HasSubstr("differ by 0.0"));
}

TEST(FixedEstimateTest, ScatterOfTheSmallerSizeCountsToo) {
  const FixedRecipe recipe = recipe_of("uica");
  const Machine machine = fine(1);
  SizedReadings readings = machine.read(recipe, 500);
  for (std::size_t i = 0; i < readings.small.size(); i += 2) readings.small[i] += 40;
  EXPECT_FALSE(is_stable(recipe, reduce(recipe, readings, machine.scale(500))));
}

TEST(FixedEstimateTest, BhiveTakesMinimaOfAllRepetitions) {
  Machine machine = fine(2);
  machine.spoiled = 2;
  const FixedEstimate found = machine.found(recipe_of("bhive"), 100);
  EXPECT_THAT(found.estimate.cycles, DoubleNear(2, 0.02));
  EXPECT_EQ(found.timed.runs, 160);
  EXPECT_EQ(found.timed.dropped, 0);
}

TEST(FixedEstimateTest, BhiveLeavesOutWhatVariesFromRepetitionToRepetition) {
  const FixedRecipe recipe = recipe_of("bhive");
  const Machine machine = fine(2);
  for (const double slower : {1.05, 1.5}) {
    SizedReadings readings = machine.read(recipe, 100);
    for (int i = 0; i < 2 * recipe.runs; ++i) readings.large[static_cast<std::size_t>(i)] *= slower;
    const FixedEstimate found = reduce(recipe, readings, machine.scale(100));
    EXPECT_EQ(is_stable(recipe, found), slower < 1.1) << found.variation;
    EXPECT_GE(found.estimate.half_width, found.variation * found.estimate.cycles);
  }
}

TEST(FixedEstimateTest, NanobenchAggregatesAsAsked) {
  const SizedReadings readings = {{100, 101, 102, 103, 190}, {210, 220, 230, 240, 900}};
  const FixedScale scale = {Copies(10), Copies(20), CyclesPerReading(1), 0, Reading(0.01)};
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
  EXPECT_EQ(machine.judged(recipe_of("nanobench"), 1000).reason, Reason::kNone);
  machine.noise = 9000;
  EXPECT_EQ(machine.judged(recipe_of("nanobench"), 1000).reason, Reason::kUnstable);
}

TEST(FixedEstimateTest, HalfWidthIsNeverLessThanTheClocksResolution) {
  for (const std::string_view name : {"uica", "bhive", "nanobench"}) {
    const FixedEstimate found = coarse(20).found(recipe_of(name), 100);
    EXPECT_THAT(found.resolution, DoubleNear(26 * 1.425 / 100, 1e-9));
    EXPECT_GE(found.estimate.half_width, found.resolution) << name;
    EXPECT_LE(std::abs(found.estimate.cycles - 20), found.estimate.half_width) << name;
  }
}

TEST(FixedEstimateTest, TheRatiosErrorWidensTheHalfWidth) {
  const FixedRecipe recipe = recipe_of("bhive");
  const Machine machine = fine(20);
  FixedScale scale = machine.scale(100);
  scale.ratio_error = 0.05;
  const FixedEstimate found = reduce(recipe, machine.read(recipe, 100), scale);
  EXPECT_GE(found.estimate.half_width, 1.9 * 0.05 * 20);
}

TEST(FixedEstimateTest, ACoarseClockIsSaidToBeCoarse) {
  const Outcome uica = coarse(3).judged(recipe_of("uica"), 500);
  EXPECT_EQ(uica.reason, Reason::kClockTooCoarse);
  EXPECT_EQ(uica.verdict(), Verdict::kRejected);
  EXPECT_THAT(uica.detail, HasSubstr("0.074 cycles a copy"));
  EXPECT_THAT(uica.detail, HasSubstr("0.020"));
  EXPECT_THAT(uica.detail, HasSubstr("protocol assay"));
  const Outcome nanobench = coarse(3).judged(recipe_of("nanobench"), 1000);
  EXPECT_EQ(nanobench.reason, Reason::kClockTooCoarse);
  EXPECT_THAT(nanobench.detail, HasSubstr("--loop"));
  EXPECT_EQ(coarse(3).judged(recipe_of("nanobench"), 10'000).reason, Reason::kNone);
}

TEST(FixedEstimateTest, BhivesBoundGrowsWithTheBlock) {
  // A step spread over 100 copies is 0.37 cycles, a tenth of a block that takes 3.7.
  EXPECT_EQ(coarse(1).judged(recipe_of("bhive"), 100).reason, Reason::kClockTooCoarse);
  EXPECT_EQ(coarse(3).judged(recipe_of("bhive"), 100).reason, Reason::kClockTooCoarse);
  EXPECT_EQ(coarse(5).judged(recipe_of("bhive"), 100).reason, Reason::kNone);
}

TEST(FixedEstimateTest, AValueThatIsNoneIsNeverMeasured) {
  for (const std::string_view name : {"uica", "bhive", "nanobench"}) {
    EXPECT_NE(fine(0).judged(recipe_of(name), 500).reason, Reason::kNone) << name;
    EXPECT_NE(coarse(0).judged(recipe_of(name), 10'000).reason, Reason::kNone) << name;
  }
}

TEST(FixedEstimateTest, BelowTheCoresLimitIsNoValue) {
  EXPECT_EQ(fine(1).judged(recipe_of("uica"), 500, 1).reason, Reason::kNone);
  EXPECT_EQ(fine(1).judged(recipe_of("uica"), 500, 1.2).reason, Reason::kBelowLimit);
}

TEST(FixedEstimateTest, OnlyABoundInCyclesRulesAClockOutBeforehand) {
  const FixedScale scale = coarse(1).scale(100);
  EXPECT_FALSE(clock_may_be_fine(recipe_of("uica"), scale));
  EXPECT_FALSE(clock_may_be_fine(recipe_of("nanobench"), scale));
  EXPECT_TRUE(clock_may_be_fine(recipe_of("bhive"), scale));
  EXPECT_TRUE(clock_may_be_fine(recipe_of("uica"), fine(1).scale(100)));
}

}  // namespace
}  // namespace assay
