#include "profiler/protocol/plan.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::size_t kCache = 32 * 1024;

Block nops(int count) {
  return std::get<Block>(decode(Bytes(static_cast<std::size_t>(count), 0x90)));
}

Plan plan_of(int instructions) { return std::get<Plan>(make_plan(nops(instructions), {}, kCache)); }

TEST(Plan, MakesAboutFiveHundredInstructions) {
  EXPECT_EQ(plan_of(1).small_copies, 500);
  EXPECT_EQ(plan_of(1).large_copies, 1000);
  EXPECT_EQ(plan_of(3).small_copies, 167);
  EXPECT_EQ(plan_of(500).small_copies, 1);
  EXPECT_EQ(plan_of(501).small_copies, 1);
}

TEST(Plan, KeepsToTheInstructionCache) {
  // 2n copies in three quarters of it: a one-instruction block of 10 bytes would want 10,000.
  const auto long_instruction = decode(bytes_from_hex("48b8f0debc9a78563412"));
  const Block& block = std::get<Block>(long_instruction);
  EXPECT_EQ(std::get<Plan>(make_plan(block, {}, 4096)).small_copies, 4096 * 3 / 4 / 20);
}

TEST(Plan, RefusesWhatDoesNotFit) {
  EXPECT_EQ(plan_of(kCache * 3 / 8).small_copies, 1);
  const auto planned = make_plan(nops(kCache * 3 / 8 + 1), {}, kCache);
  ASSERT_TRUE(std::holds_alternative<Refusal>(planned));
  EXPECT_EQ(std::get<Refusal>(planned).reason, Reason::kTooLarge);
}

}  // namespace
}  // namespace assay
