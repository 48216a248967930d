#include "profiler/measurement/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ElementsAre;

constexpr std::size_t kCache = std::size_t{32} * 1024;

Settings settings(int target_instructions, int loop_min_instructions = 1) {
  Settings settings;
  settings.target_instructions = target_instructions;
  settings.loop_min_instructions = loop_min_instructions;
  return settings;
}

/// So many instructions of a byte each.
Block nops(int count) {
  return std::get<Block>(decode(Bytes(static_cast<std::size_t>(count), 0x90)));
}

/// So many instructions of ten bytes each.
Block long_ones(int count) {
  Bytes bytes;
  const Bytes one = bytes_from_hex("48b8f0debc9a78563412");  // movabs rax, ...
  for (int i = 0; i < count; ++i) bytes.insert(bytes.end(), one.begin(), one.end());
  return std::get<Block>(decode(bytes));
}

Plan plan_of(const Block& block, const Settings& settings, Notion notion = Notion::kUnrolled) {
  return std::get<Plan>(make_plan(block, notion, settings, kCache));
}

void expect_three_sizes(const Plan& plan) {
  const std::int64_t n = plan.sizes.at(0);
  EXPECT_THAT(plan.sizes, ElementsAre(n, 2 * n, 4 * n));
}

TEST(Plan, MakesAboutTheInstructionsThatAreAskedFor) {
  for (int instructions = 1; instructions <= 500; ++instructions) {
    const Plan plan = plan_of(nops(instructions), settings(500));
    EXPECT_GE(plan.sizes[0] * instructions, 500);
    EXPECT_LE(plan.sizes[0], (500 / instructions + 1) * 9 / 8);
    EXPECT_EQ(plan.copies(), plan.sizes[0]);
    EXPECT_EQ(plan.body_copies, 1);
    expect_three_sizes(plan);
  }
}

TEST(Plan, EndsAtFetchBoundariesWhereThatAddsLittle) {
  EXPECT_EQ(plan_of(nops(1), settings(500)).sizes[0], 512);  // 512 bytes
  EXPECT_EQ(plan_of(nops(3), settings(500)).sizes[0], 176);  // 528 bytes: 576 would be 192 copies
  EXPECT_EQ(plan_of(nops(100), settings(500)).sizes[0], 5);  // any rounding would add a fifth
}

TEST(Plan, KeepsItsCodeSmall) {
  constexpr std::int64_t kLargestCode = std::int64_t{8} * 1024;
  for (const int instructions : {1, 7, 20, 50}) {
    const Block block = long_ones(instructions);
    const auto size = static_cast<std::int64_t>(block.bytes.size());
    const Plan plan = plan_of(block, settings(500));
    expect_three_sizes(plan);
    EXPECT_LE(4 * plan.sizes[0] * size, kLargestCode);
    EXPECT_GT(4 * (plan.sizes[0] + 1) * size, kLargestCode) << "and no smaller than it must be";
  }
}

TEST(Plan, TakesOneCopyOfWhatIsLargeAndFourThatFitTheInstructionCache) {
  const Block block = nops(4000);
  EXPECT_EQ(plan_of(block, settings(500)).sizes[0], 1);
  const auto planned = make_plan(nops(9000), Notion::kUnrolled, settings(500), kCache);
  ASSERT_TRUE(std::holds_alternative<Outcome>(planned));
  EXPECT_EQ(std::get<Outcome>(planned).reason, Reason::kTooLarge);
  EXPECT_TRUE(std::holds_alternative<Plan>(
      make_plan(nops(9000), Notion::kUnrolled, settings(500), 2 * kCache)));
}

TEST(Plan, ALoopNeedsRoomForItsBodyOnly) {
  EXPECT_EQ(plan_of(nops(9000), settings(500), Notion::kLooped).body_copies, 1);
  EXPECT_TRUE(std::holds_alternative<Outcome>(
      make_plan(nops(9000), Notion::kLooped, settings(500), kCache / 4)));
  EXPECT_TRUE(std::holds_alternative<Outcome>(
      make_plan(nops(9000), Notion::kLooped, settings(500, 30'000), kCache)));
}

TEST(Plan, ALoopMakesTwiceAsManyInstructionsInManyTurns) {
  EXPECT_THAT(plan_of(nops(1), settings(500), Notion::kLooped).sizes,
              ElementsAre(1000, 2000, 4000));
  EXPECT_THAT(plan_of(nops(3), settings(500), Notion::kLooped).sizes, ElementsAre(334, 668, 1336));
  EXPECT_THAT(plan_of(nops(100), settings(500), Notion::kLooped).sizes, ElementsAre(128, 256, 512));
}

TEST(Plan, ALoopsBodyHasAsManyCopiesAsItNeeds) {
  const auto body_copies = [](int instructions, int least) {
    return plan_of(nops(instructions), settings(500, least), Notion::kLooped).body_copies;
  };
  EXPECT_EQ(body_copies(3, 1), 1);
  EXPECT_EQ(body_copies(3, 3), 1);
  EXPECT_EQ(body_copies(3, 4), 2);
  EXPECT_EQ(body_copies(1, 50), 50);
  EXPECT_EQ(body_copies(1, 0), 1);
  const Plan plan = plan_of(nops(1), settings(500, 2), Notion::kLooped);
  EXPECT_EQ(plan.sizes[0], 500);
  EXPECT_EQ(plan.copies(), 1000);
}

TEST(Plan, IsRaisedOnceInTheSameCode) {
  const Plan plan = plan_of(nops(5), settings(400));
  const std::int64_t n = plan.sizes[0];
  const auto larger = raised(plan);
  ASSERT_TRUE(larger);
  EXPECT_THAT(larger->sizes, ElementsAre(2 * n, 3 * n, 4 * n));
  EXPECT_EQ(larger->raised, 1);
  EXPECT_FALSE(raised(*larger));
}

TEST(Plan, ALoopIsRaisedFiveTimes) {
  Plan plan = plan_of(nops(5), settings(400), Notion::kLooped);
  const std::int64_t n = plan.sizes[0];
  for (int i = 0; i < 5; ++i) {
    const auto larger = raised(plan);
    ASSERT_TRUE(larger);
    plan = *larger;
  }
  EXPECT_THAT(plan.sizes, ElementsAre(32 * n, 64 * n, 128 * n));
  EXPECT_FALSE(raised(plan));
}

TEST(Plan, IsShortenedToAShareButNotBelowSixteenCopies) {
  Plan plan;
  plan.sizes = {100, 200, 400};
  EXPECT_THAT(shortened(plan, nops(64), 0.5).sizes, ElementsAre(50, 100, 200));
  EXPECT_THAT(shortened(plan, nops(64), 0.555).sizes, ElementsAre(55, 110, 220));
  EXPECT_THAT(shortened(plan, nops(64), 0.001).sizes, ElementsAre(4, 8, 16));
  EXPECT_THAT(shortened(plan, nops(64), 5).sizes, ElementsAre(100, 200, 400)) << "never longer";
}

TEST(Plan, WhatIsShortStaysAsItIs) {
  Plan plan;
  plan.sizes = {3, 6, 12};
  EXPECT_EQ(shortened(plan, nops(64), 0.1).sizes, plan.sizes);
}

TEST(Plan, CopiesInARowAskForWhatOneDoes) {
  const Block block = std::get<Block>(decode(bytes_from_hex("488b03488903eb00")));
  const Demand demand = demand_of(block, {});
  EXPECT_EQ(demand.operations, 2);
  EXPECT_EQ(demand.loads, 1);
  EXPECT_EQ(demand.stores, 1);
  EXPECT_EQ(demand.taken_branches, 1);
}

TEST(Plan, ATurnAsksForItsCopiesAndItsEnd) {
  const auto demand = [](const std::string& hex, std::int64_t body_copies) {
    Plan plan;
    plan.notion = Notion::kLooped;
    plan.body_copies = body_copies;
    return demand_of(std::get<Block>(decode(bytes_from_hex(hex))), plan);
  };
  const Demand open = demand("488b03488903", 3);
  EXPECT_EQ(open.operations, 3 * 2 + 1);
  EXPECT_EQ(open.loads, 3);
  EXPECT_EQ(open.stores, 3);
  EXPECT_EQ(open.taken_branches, 1);
  EXPECT_EQ(demand("eb00", 3).taken_branches, 3) << "the last of them leads back";
  EXPECT_EQ(demand("7500", 3).taken_branches, 1);
}

}  // namespace
}  // namespace assay
