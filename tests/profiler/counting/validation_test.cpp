#include "profiler/counting/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "profiler/block/bytes.h"
#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

Reason reason_of(std::vector<Growth> growths, InstructionRange instructions, Traits traits = {},
                 Notion notion = Notion::kUnrolled) {
  const auto failure = validate(growths, instructions, traits, notion);
  return failure ? failure->reason : Reason::kNone;
}

/// A plan with sizes of 10, 20 and 40 iterations.
Plan plan_of(Notion notion, std::int64_t body_copies) {
  return {notion, Copies(body_copies), {Iterations(10), Iterations(20), Iterations(40)}};
}

TEST(AddedInstructions, AreTheBlocksOwn) {
  const Block block = block_of("4801d890");  // add rax, rbx; nop
  const InstructionRange range = added_instructions(block, plan_of(Notion::kUnrolled, 1));
  EXPECT_EQ(range.least, 60);
  EXPECT_EQ(range.most, 60);
}

TEST(AddedInstructions, OfALoopAreThoseOfItsEndToo) {
  const Block block = block_of("4801d890");
  const InstructionRange range = added_instructions(block, plan_of(Notion::kLooped, 3));
  EXPECT_EQ(range.least, 30 * (3 * 2 + 2));
  EXPECT_EQ(range.most, range.least);
}

TEST(AddedInstructions, OfALoopClosedByTheBlockDependOnItsBranch) {
  const Block block = block_of("4801d875fb");  // add rax, rbx; jnz
  const InstructionRange range = added_instructions(block, plan_of(Notion::kLooped, 1));
  EXPECT_EQ(range.least, 30 * (2 + 2));
  EXPECT_EQ(range.most, 30 * (2 + 3));
}

TEST(Validate, AcceptsWhatASteadyCopyDoes) {
  EXPECT_EQ(reason_of({{Reason::kInstructionCount, "inst", 600}, {Reason::kDataCacheMiss, "l1", 0}},
                      {600, 600}),
            Reason::kNone);
  EXPECT_EQ(reason_of({}, {600, 600}), Reason::kNone) << "nothing could be counted";
}

TEST(Validate, OneMoreEventInTheLargerRunIsTooMuch) {
  EXPECT_EQ(reason_of({{Reason::kDataCacheMiss, "l1", 1}}, {}), Reason::kDataCacheMiss);
  EXPECT_EQ(reason_of({{Reason::kDataCacheMiss, "l1", -1}}, {}), Reason::kNone);
}

TEST(Validate, InstructionsMustBeThoseWritten) {
  for (const double wrong : {599.0, 611.0}) {
    EXPECT_EQ(reason_of({{Reason::kInstructionCount, "inst", wrong}}, {600, 610}),
              Reason::kInstructionCount);
  }
  for (const double right : {600.0, 605.0, 610.0}) {
    EXPECT_EQ(reason_of({{Reason::kInstructionCount, "inst", right}}, {600, 610}), Reason::kNone);
  }
}

TEST(Validate, TheFirstReasonOfTheListWinsWhateverTheOrderOfCounting) {
  EXPECT_EQ(
      reason_of({{Reason::kBranchMiss, "br", 9}, {Reason::kInstructionTlbMiss, "itlb", 1}}, {}),
      Reason::kInstructionTlbMiss);
}

TEST(Validate, SaysWhatWasCounted) {
  const std::vector<Growth> growths = {{Reason::kBranchMiss, "BR_MISP", 9}};
  EXPECT_THAT(validate(growths, {}, {}, Notion::kUnrolled)->detail,
              HasSubstr("9 more in the larger run (BR_MISP)"));
}

TEST(Validate, WhatATraitBringsWithItIsNoNews) {
  const std::vector<Growth> split = {{Reason::kSplitAccess, "split", 300}};
  EXPECT_EQ(reason_of(split, {}), Reason::kSplitAccess);
  EXPECT_EQ(reason_of(split, {}, {Trait::kSplitLine}), Reason::kNone);
  EXPECT_EQ(reason_of(split, {}, {Trait::kSplitPage}), Reason::kNone);
  EXPECT_EQ(reason_of(split, {}, {Trait::kTlbReach}), Reason::kSplitAccess);
  EXPECT_EQ(reason_of({{Reason::kDataTlbMiss, "tlb", 300}}, {}, {Trait::kTlbReach}), Reason::kNone);
  EXPECT_EQ(reason_of({{Reason::kDataCacheMiss, "l1", 300}}, {}, {Trait::kPageAliasing}),
            Reason::kNone);
}

TEST(Validate, TheEndOfALoopMayBeForeseenInAShortOneOnly) {
  EXPECT_EQ(reason_of({{Reason::kBranchMiss, "br", 1}}, {}, {}, Notion::kLooped), Reason::kNone);
  EXPECT_EQ(reason_of({{Reason::kBranchMiss, "br", 2}}, {}, {}, Notion::kLooped),
            Reason::kBranchMiss);
  EXPECT_EQ(reason_of({{Reason::kBranchMiss, "br", 1}}, {}), Reason::kBranchMiss);
  EXPECT_EQ(reason_of({{Reason::kDataCacheMiss, "l1", 1}}, {}, {}, Notion::kLooped),
            Reason::kDataCacheMiss);
}

}  // namespace
}  // namespace assay
