#include "profiler/protocol/measured_limits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace assay {
namespace {

/// A made-up core: it takes as long as the tightest of its limits says, and additions wait for
/// execution units.
constexpr MachineLimits kCore = {"made up", {}, 5, 2, 1, 1, false};

std::optional<double> on_made_up_core(const Block& block, Notion notion) {
  Demand demand = block.demand;
  if (notion == Notion::kLooped) {
    ++demand.operations;
    demand.taken_branches = std::max(demand.taken_branches, 1);
  }
  return floor_of(demand, kCore);
}

TEST(MeasuredLimits, AreThoseOfTheCoreAndALittleMore) {
  const MachineLimits found = measure_limits(on_made_up_core);
  EXPECT_DOUBLE_EQ(found.operations_per_cycle, 1.02 * 5);
  EXPECT_DOUBLE_EQ(found.loads_per_cycle, 1.02 * 2);
  EXPECT_DOUBLE_EQ(found.stores_per_cycle, 1.02 * 1);
  EXPECT_DOUBLE_EQ(found.taken_branches_per_cycle, 1.02 * 1);
  EXPECT_FALSE(found.tested);
}

TEST(MeasuredLimits, JumpsInARowMayBeSlowerThanALoopOrQuicker) {
  for (const Notion slow : {Notion::kUnrolled, Notion::kLooped}) {
    const MachineLimits found = measure_limits([&](const Block& block, Notion notion) {
      const double cycles = on_made_up_core(block, notion).value();
      return std::optional(notion == slow && block.final_branch ? 2 * cycles : cycles);
    });
    EXPECT_DOUBLE_EQ(found.taken_branches_per_cycle, 1.02);
  }
}

TEST(MeasuredLimits, LoadsOfOneWordMayBeSlowerThanThoseOfALine) {
  const MachineLimits found = measure_limits([&](const Block& block, Notion notion) {
    const double cycles = on_made_up_core(block, notion).value();
    const bool one_word = block.demand.loads == 4;
    return std::optional(one_word ? 2 * cycles : cycles);
  });
  EXPECT_DOUBLE_EQ(found.loads_per_cycle, 1.02 * 2);
}

TEST(MeasuredLimits, WhatCannotBeMeasuredMakesNoFloor) {
  const MachineLimits found = measure_limits([](const Block& block, Notion notion) {
    return block.demand.loads > 0 ? std::nullopt : on_made_up_core(block, notion);
  });
  EXPECT_TRUE(std::isinf(found.loads_per_cycle));
  EXPECT_DOUBLE_EQ(found.operations_per_cycle, 1.02 * 5) << "other blocks tell that too";
  EXPECT_EQ(floor_of({.loads = 100}, found), 0);
}

TEST(MeasuredLimits, AValueThatIsNoneIsLeftOut) {
  for (const double cycles : {0.0, -1.0, std::nan("")}) {
    const MachineLimits found =
        measure_limits([&](const Block&, Notion) { return std::optional(cycles); });
    EXPECT_EQ(floor_of({.operations = 9, .loads = 9, .stores = 9, .taken_branches = 9}, found), 0);
  }
}

}  // namespace
}  // namespace assay
