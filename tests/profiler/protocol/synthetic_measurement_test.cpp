#include "tests/profiler/protocol/synthetic_measurement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/profiler/machine/assumed_features.h"

namespace assay {
namespace {

using Conditions = SyntheticMachine::Conditions;
using Lasts = SyntheticMachine::Lasts;
using namespace std::chrono_literals;

constexpr double kTruth = 1;  // cycles of a copy

/// What became of blocks that were measured one after the other on a synthetic machine.
struct Found {
  int blocks = 0;
  int measured = 0;
  int held = 0;     ///< of those measured, whose intervals hold the truth
  int far = 0;      ///< of those measured, that are off by more than 5 %
  double bias = 0;  ///< mean error of the values, as a share
  double visits = 0;
};

Found measure(const Conditions& conditions, int blocks, Notion notion = Notion::kUnrolled,
              std::string_view hex = "4801d8", unsigned seed = 1) {
  SyntheticMachine machine(conditions, seed);
  SyntheticProfiler profiler(machine, hex, notion);
  Found found{.blocks = blocks};
  for (int i = 0; i < blocks; ++i) {
    const Measurement result = profiler.measure().result;
    found.visits += static_cast<double>(result.visits) / blocks;
    if (!result.estimate) continue;
    const double error = result.estimate->cycles - kTruth;
    ++found.measured;
    found.held += std::abs(error) <= result.estimate->half_width;
    found.far += std::abs(error) > 0.05 * kTruth;
    found.bias += error / kTruth;
  }
  found.bias /= std::max(found.measured, 1);
  return found;
}

Conditions usual() {
  return {.cycles_per_copy = kTruth,
          .run_deviation = 2,
          .interrupted_runs = 0.002,
          .clock = {.stamps = 5}};
}

// Synthetic machines always give the same readings, so that these are no tests of chance. Plans
// are those of CPUs of which nothing is known, unless a test says otherwise.
class OnASyntheticMachine : public testing::Test {
  const AssumedFeatures near_{AssumedFeatures::near_jumps()};
};

TEST_F(OnASyntheticMachine, HoldsTheTruthWhateverDiffers) {
  for (const auto notion : {Notion::kUnrolled, Notion::kLooped}) {
    for (const std::string_view what : {"nothing", "alignments", "series", "frequency", "steps"}) {
      SCOPED_TRACE(testing::Message() << what << ' ' << name(notion));
      Conditions conditions = usual();
      if (what == "alignments") conditions.alignment_deviation = 0.02;
      if (what == "series") conditions.series_deviation = 0.005;
      if (what == "frequency") conditions.wander = 0.0025;
      if (what == "steps") {
        conditions.wander = 0.02;
        conditions.wander_time = 50ms;
      }
      const Found found = measure(conditions, 200, notion);
      EXPECT_GE(found.measured, 199);
      EXPECT_GE(found.held, found.measured * 92 / 100);
      EXPECT_LT(std::abs(found.bias), 0.001);
    }
  }
}

TEST_F(OnASyntheticMachine, SizesThatAreOffALineAreNoBiasIfTheyAreStaggered) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  Conditions conditions = usual();
  conditions.size_deviation = 3;
  const Found found = measure(conditions, 200);
  EXPECT_GE(found.measured, 198);
  EXPECT_GE(found.held, found.measured * 88 / 100);
  EXPECT_LT(std::abs(found.bias), 0.001);
}

// Zen 4 has such blocks: what a copy takes depends on the slot of a dispatch group in which the
// first one begins, and stays so for all that follow.
TEST_F(OnASyntheticMachine, ASlotOfTheFirstCopyIsNotTheValueOfAll) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    Conditions conditions = usual();
    conditions.lead_factors = {1.15, 0.75, 1, 1.05, 1.15, 1.15, 1, 0.75};
    EXPECT_EQ(measure(conditions, 20, notion).far, 0);
    conditions.lead_factors = {1.003, 0.99, 1.002, 1.003, 1.01, 0.996, 0.996, 1};
    const Found found = measure(conditions, 100, notion);
    EXPECT_GE(found.measured, 98);
    EXPECT_GE(found.held, found.measured * 9 / 10);
  }
}

// Zen 5 has such blocks: `lea rsp, [rbp - 40]` and six POPs take 5.00 cycles if, behind one and the
// same entry, the first copy begins at three of eight places within 64 bytes, and else 6.00.
TEST_F(OnASyntheticMachine, ThePlaceOfTheCodeIsNoScatter) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  for (const double factor : {1.05, 1.2, 1.5}) {
    SCOPED_TRACE(factor);
    const double rest = 1 / (1 + 5 * (factor - 1) / 8);
    Conditions conditions = usual();
    conditions.size_deviation = 2;
    conditions.place_factors = {factor, factor, 1, factor, 1, factor, factor, 1};
    for (double& place : conditions.place_factors) place *= rest;
    // So few at a time that a profiler does not come to know all blocks as such.
    for (unsigned seed = 1; seed <= 12; ++seed) {
      const Found found = measure(conditions, 7, Notion::kUnrolled, "4801d8", seed);
      EXPECT_EQ(found.measured, 7);
      EXPECT_GE(found.held, 6);
      EXPECT_LT(found.visits, 2.5);
      EXPECT_EQ(found.far, 0);
    }
  }
}

TEST_F(OnASyntheticMachine, WhatCopiesTakeAtEachPlaceIsToldIfItDiffers) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  const auto measured = [](const std::array<double, 8>& factors) {
    Conditions conditions = usual();
    conditions.place_factors = factors;
    SyntheticMachine machine(conditions, 1);
    return SyntheticProfiler(machine, "4801d8", Notion::kUnrolled).measure().result;
  };
  const std::array<double, 8> factors = {1.2, 1.2, 1, 1.2, 1, 1.2, 1.2, 1};
  const Measurement result = measured(factors);
  ASSERT_TRUE(result.estimate);
  EXPECT_NEAR(result.estimate->cycles, 9.0 / 8, 0.01);
  ASSERT_EQ(result.placements.size(), 8U);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    EXPECT_EQ(result.placements[i].offset, 8 * static_cast<std::int64_t>(i));
    EXPECT_NEAR(result.placements[i].cycles, factors[i], 0.01) << i;
  }
  EXPECT_THAT(measured({1.02, 1, 1, 1, 1, 1, 1, 1}).placements, testing::IsEmpty())
      << "that is no more than most blocks differ by";
}

TEST_F(OnASyntheticMachine, ABadLayoutOfTheDataIsNotTheValue) {
  for (const Features& kind : {AssumedFeatures::near_jumps(), AssumedFeatures::micro_op_cache()}) {
    const AssumedFeatures assumed(kind);
    for (const double share : {0.1, 0.3, 0.5}) {
      SCOPED_TRACE(share);
      Conditions conditions = usual();
      conditions.state = {1.5, share, Lasts::kAlignment};
      const Found found = measure(conditions, 100);
      EXPECT_GE(found.measured, 98);
      EXPECT_EQ(found.far, 0);
      EXPECT_GE(found.held, found.measured * 9 / 10);
      EXPECT_LT(std::abs(found.bias), 0.002);
    }
  }
}

TEST_F(OnASyntheticMachine, AStartUpPhaseIsNoBias) {
  for (const double copies : {100, 1000}) {
    SCOPED_TRACE(copies);
    Conditions conditions = usual();
    conditions.slow_copies = copies;
    conditions.slow_factor = 1.03;
    const Found found = measure(conditions, 200);
    EXPECT_LT(std::abs(found.bias), 0.004);
    if (copies < 1000) {
      EXPECT_GE(found.held, found.measured * 9 / 10);
    }
    EXPECT_EQ(found.far, 0);
  }
}

TEST_F(OnASyntheticMachine, AStateOfATenthIsNotTheValue) {
  for (const Lasts lasts : {Lasts::kSeries, Lasts::kProcess}) {
    SCOPED_TRACE(static_cast<int>(lasts));
    Conditions conditions = usual();
    conditions.state = {1.5, 0.1, lasts};
    const Found found = measure(conditions, 200, Notion::kLooped);
    EXPECT_GE(found.measured, 180);
    EXPECT_LE(found.far, 4) << "twice by chance";
    EXPECT_GE(found.held, found.measured * 92 / 100);
  }
}

TEST_F(OnASyntheticMachine, StatesAreNotAveraged) {
  const AssumedFeatures fed(AssumedFeatures::micro_op_cache());
  int between = 0;
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    for (const double factor : {1.5, 1.2, 1.1}) {
      for (const double share : {0.5, 0.35}) {
        Conditions conditions = usual();
        conditions.state = {factor, share, Lasts::kSeries};
        SyntheticMachine machine(conditions, 1);
        SyntheticProfiler profiler(machine, "4801d8", notion);
        for (int i = 0; i < 25; ++i) {
          const auto estimate = profiler.measure().result.estimate;
          if (!estimate) continue;
          const double cycles = estimate->cycles;
          between += std::min(std::abs(cycles - 1), std::abs(cycles - factor)) > 0.02;
        }
      }
    }
  }
  EXPECT_LE(between, 1) << "of 300: alignments that happen to be slow in each of their series";
}

TEST_F(OnASyntheticMachine, ADisturbanceThatTheCanaryDoesNotSeeTakesMoreVisits) {
  Conditions conditions = usual();
  conditions.visitor = {1.5, 1, 60us, 500us};
  const Found found = measure(conditions, 200);
  EXPECT_GE(found.measured, 198);
  EXPECT_LE(found.far, 1);
  EXPECT_GT(found.visits, 2.06);
  EXPECT_LT(measure(usual(), 600).visits, 2.05) << "but not on a quiet core: 2.03 in 3,000 tries";
}

TEST_F(OnASyntheticMachine, ADisturbedMomentSettlesHardlyAnyBlock) {
  Conditions conditions = usual();
  // He is there for less than a third of the time: of one who is there for half of it, the block
  // without him and with him may look like two states.
  conditions.visitor = {1.3, 1, 20us, 50us};
  SyntheticMachine machine(conditions, 1);
  SyntheticProfiler profiler(machine, "4801d8", Notion::kUnrolled);
  int without_number = 0;
  for (int i = 0; i < 20; ++i) {
    const Measurement result = profiler.measure(8).result;
    without_number += result.settled && !result.estimate;
  }
  EXPECT_LE(without_number, 1) << "by chance it looks as if it had two states";
}

}  // namespace
}  // namespace assay
