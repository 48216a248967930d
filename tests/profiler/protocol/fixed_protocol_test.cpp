#include "profiler/protocol/fixed_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/protocol/protocols.h"
#include "profiler/sampling/round.h"
#include "profiler/subject/layout.h"
#include "tests/profiler/protocol/planning.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::variant<Plan, Outcome> planned(const Settings& settings, const Block& block,
                                    Notion notion = Notion::kUnrolled) {
  return make_protocol(settings, kInstructionCache)->plan(block, notion);
}

Plan plan_of(const Settings& settings, const Block& block, Notion notion = Notion::kUnrolled) {
  return std::get<Plan>(planned(settings, block, notion));
}

std::vector<std::int64_t> sizes_of(const Settings& settings, const Block& block,
                                   Notion notion = Notion::kUnrolled) {
  std::vector<std::int64_t> counts;
  for (const Iterations size : plan_of(settings, block, notion).sizes) {
    counts.push_back(size.count());
  }
  return counts;
}

TEST(FixedProtocolTest, UicaMakesFiveHundredInstructions) {
  EXPECT_THAT(sizes_of(default_settings("uica"), nops(1)), ElementsAre(500, 1000));
  EXPECT_THAT(sizes_of(default_settings("uica"), nops(3)), ElementsAre(167, 334));
  EXPECT_THAT(sizes_of(default_settings("uica"), nops(500)), ElementsAre(1, 2));
  EXPECT_THAT(sizes_of(default_settings("uica"), nops(501)), ElementsAre(1, 2));
  EXPECT_EQ(std::get<Outcome>(planned(default_settings("uica"), nops(10'241))).reason,
            Reason::kTooLarge);
}

TEST(FixedProtocolTest, BhiveTakesFewerCopiesOfLargerBlocks) {
  // 20 KiB of the cache are left: 102 bytes fit 200 times, 204 bytes 100 times, 640 bytes 32 times.
  EXPECT_THAT(sizes_of(default_settings("bhive"), long_moves(10)), ElementsAre(100, 200));
  EXPECT_THAT(sizes_of(default_settings("bhive"), long_moves(11)), ElementsAre(50, 100));
  EXPECT_THAT(sizes_of(default_settings("bhive"), long_moves(20)), ElementsAre(50, 100));
  EXPECT_THAT(sizes_of(default_settings("bhive"), long_moves(21)), ElementsAre(16, 32));
  EXPECT_THAT(sizes_of(default_settings("bhive"), long_moves(64)), ElementsAre(16, 32));
  const auto refused = planned(default_settings("bhive"), long_moves(65));
  EXPECT_EQ(std::get<Outcome>(refused).reason, Reason::kTooLarge);
  EXPECT_THAT(std::get<Outcome>(refused).detail, HasSubstr("32 copies of 650 bytes"));
}

TEST(FixedProtocolTest, NanobenchTakesWhatItIsTold) {
  Settings settings = default_settings("nanobench");
  EXPECT_THAT(sizes_of(settings, nops(1)), ElementsAre(1000, 2000));
  EXPECT_EQ(std::get<Outcome>(planned(settings, nops(11))).reason, Reason::kTooLarge);
  settings.nanobench = {7, 30, 1, 12, Aggregate::kMinimum};
  EXPECT_THAT(sizes_of(settings, nops(11)), ElementsAre(7, 14));
  const Plan plan = plan_of(settings, nops(11), Notion::kLooped);
  EXPECT_EQ(plan.notion, Notion::kLooped);
  EXPECT_EQ(plan.body, Copies(7));
  EXPECT_THAT(sizes_of(settings, nops(11), Notion::kLooped), ElementsAre(30, 60));
  const FixedRecipe recipe = nanobench_recipe(settings.nanobench);
  EXPECT_EQ(recipe.warm_ups, 1);
  EXPECT_EQ(recipe.runs, 12);
  EXPECT_EQ(recipe.aggregate, Aggregate::kMinimum);
  EXPECT_EQ(recipe.trim, 0);
  // In a loop, the code of the body is there only once for both sizes.
  settings.nanobench.unroll = 2000;
  EXPECT_EQ(plan_of(settings, nops(10), Notion::kLooped).body, Copies(2000));
  EXPECT_EQ(std::get<Outcome>(planned(settings, nops(11), Notion::kLooped)).reason,
            Reason::kTooLarge);
}

TEST(FixedProtocolTest, OnlyTheAverageOfNanobenchIsTrimmed) {
  NanobenchOptions options;
  EXPECT_EQ(nanobench_recipe(options).trim, 0.2);
  options.aggregate = Aggregate::kMedian;
  EXPECT_EQ(nanobench_recipe(options).trim, 0);
}

TEST(FixedProtocolTest, LoopedMakesIterationsOfCopies) {
  Settings settings = default_settings("bhive");
  settings.loop_min_instructions = 10;
  const Plan plan = plan_of(settings, nops(4), Notion::kLooped);
  EXPECT_EQ(plan.notion, Notion::kLooped);
  EXPECT_EQ(plan.body, Copies(3));
  EXPECT_THAT(sizes_of(settings, nops(4), Notion::kLooped), ElementsAre(100, 200));
}

TEST(FixedProtocolTest, TheMostWarmUpsFitARound) {
  EXPECT_LE(pair_round(kMostWarmUps).size(), std::size_t{subject::kMaxKernels});
}

}  // namespace
}  // namespace assay
