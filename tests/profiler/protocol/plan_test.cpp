#include "profiler/protocol/plan.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::size_t kCache = std::size_t{32} * 1024;

Block nops(int count) {
  return std::get<Block>(decode(Bytes(static_cast<std::size_t>(count), 0x90)));
}

Plan plan_of(int instructions) { return std::get<Plan>(make_plan(nops(instructions), {}, kCache)); }

TEST(Plan, MakesAboutFiveHundredInstructions) {
  EXPECT_EQ(plan_of(500).small_copies, 1);
  EXPECT_EQ(plan_of(501).small_copies, 1);
  for (int instructions = 1; instructions <= 500; ++instructions) {
    const Plan plan = plan_of(instructions);
    EXPECT_GE(plan.small_copies * instructions, 500);
    EXPECT_LE(plan.small_copies, (500 / instructions + 1) * 9 / 8);
    EXPECT_EQ(plan.large_copies, 2 * plan.small_copies);
  }
}

TEST(Plan, EndsAtFetchBoundariesWhereThatAddsLittle) {
  EXPECT_EQ(plan_of(1).small_copies, 512);  // 512 bytes
  EXPECT_EQ(plan_of(3).small_copies, 176);  // 528 bytes, 16 * 33: 32 * 17 would be 192 copies
  EXPECT_EQ(plan_of(100).small_copies, 5);  // any rounding would add a fifth
}

TEST(Plan, KeepsToTheInstructionCache) {
  // n and 2n copies in what 13 KiB for everything else leave of it.
  const auto long_instruction = decode(bytes_from_hex("48b8f0debc9a78563412"));
  const Block& block = std::get<Block>(long_instruction);
  EXPECT_EQ(std::get<Plan>(make_plan(block, {}, std::size_t{16} * 1024)).small_copies,
            3 * 1024 / 30);
}

TEST(Plan, RefusesWhatDoesNotFit) {
  constexpr int kLargest = 19 * 1024 / 3;
  EXPECT_EQ(plan_of(kLargest).small_copies, 1);
  const auto planned = make_plan(nops(kLargest + 1), {}, kCache);
  ASSERT_TRUE(std::holds_alternative<Refusal>(planned));
  EXPECT_EQ(std::get<Refusal>(planned).reason, Reason::kTooLarge);
}

}  // namespace
}  // namespace assay
