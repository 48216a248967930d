#include "profiler/block/loop_condition.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/profiler/block/block_of.h"

namespace assay {
namespace {

using enum GeneralRegister;
using Relation = LoopCondition::Relation;

LoopCondition condition_of(const std::string& hex) {
  const auto condition = loop_condition(block_of(hex));
  EXPECT_TRUE(condition) << hex;
  return condition.value_or(LoopCondition{});
}

bool has_condition(const std::string& hex) { return loop_condition(block_of(hex)).has_value(); }

TEST(LoopCondition, OfACompareIsItsOperands) {
  const LoopCondition condition = condition_of("4883c20139f272f8");  // add rdx, 1; cmp edx, esi; jb
  EXPECT_EQ(condition.setter, 1U);
  EXPECT_EQ(condition.bits, 32);
  EXPECT_EQ(condition.relation, Relation::kBelow);
  EXPECT_EQ(condition.a.reg, kRdx);
  EXPECT_EQ(condition.b.reg, kRsi);
  EXPECT_TRUE(condition.only_compares);
  EXPECT_EQ(condition.registers(), 1U << 2 | 1U << 6);
}

TEST(LoopCondition, OfAResultComparesItWithZero) {
  const LoopCondition counts_down = condition_of("ffc975fc");  // dec ecx; jne
  EXPECT_EQ(counts_down.a.reg, kRcx);
  EXPECT_EQ(counts_down.b.constant, 1U) << "it is 0 behind the DEC";
  EXPECT_FALSE(counts_down.only_compares);
  const LoopCondition adds = condition_of(
      "4883c308"
      "75fa");  // add rbx, 8; jne
  EXPECT_EQ(adds.b.constant, static_cast<std::uint64_t>(-8));
  const LoopCondition tests = condition_of(
      "4829d1"
      "4885c9"
      "7ff8");  // sub; test rcx, rcx; jg
  EXPECT_EQ(tests.relation, Relation::kGreater);
  EXPECT_EQ(tests.b.constant, 0U);
  EXPECT_TRUE(tests.only_compares);
  const LoopCondition loops = condition_of("90e2fd");  // nop; loop
  EXPECT_EQ(loops.a.reg, kRcx);
  EXPECT_EQ(loops.setter, 1U);
}

TEST(LoopCondition, OnlyCompareIfNothingElseHangsOnIt) {
  EXPECT_FALSE(condition_of("4839d0"
                            "4889c1"
                            "75f8")
                   .only_compares)
      << "a move stands between";
  const LoopCondition loads = condition_of("483b0f75fb");  // cmp rcx, [rdi]; jne
  EXPECT_FALSE(loads.only_compares);
  EXPECT_TRUE(loads.b.memory);
  EXPECT_TRUE(condition_of("80f90a75fb").only_compares);  // cmp cl, 10; jne
  EXPECT_FALSE(condition_of("4811d84839d175f8").only_compares) << "adc reads the flags of the last";
  EXPECT_FALSE(condition_of("4839d178fb").only_compares) << "cmp rcx, rdx; js: not fused";
  EXPECT_FALSE(condition_of("4839d179fb").only_compares);
  EXPECT_TRUE(condition_of("4885c978fb").only_compares) << "test rcx, rcx; js";
  EXPECT_TRUE(condition_of("4801d84811c84839d175f5").only_compares) << "add; adc; cmp; jne";
}

TEST(LoopCondition, MayBeEquality) {
  EXPECT_EQ(condition_of("4839d874fb").relation, Relation::kEqual);  // cmp rax, rbx; je
}

TEST(LoopCondition, IsNotKnownOfEverything) {
  EXPECT_FALSE(has_condition("4801d8")) << "no branch";
  EXPECT_FALSE(has_condition("4801d8ebfb")) << "always taken";
  EXPECT_FALSE(has_condition("a80775fc")) << "test al, 7";
  EXPECT_FALSE(has_condition("48d1e875fb")) << "shr rax, 1";
  EXPECT_FALSE(has_condition("48ffc172fb")) << "inc sets no carry";
  EXPECT_FALSE(has_condition("80fc0a75fb")) << "ah";
  EXPECT_FALSE(has_condition("660f2fc177fa")) << "comisd";
  EXPECT_FALSE(has_condition("4889c175fb")) << "nothing sets the flags";
}

TEST(LoopCondition, HoldsOfTheLowBits) {
  LoopCondition condition;
  condition.bits = 8;
  condition.relation = Relation::kLess;
  EXPECT_TRUE(condition.holds(0x1ff, 0x100)) << "-1 < 0";
  condition.relation = Relation::kBelow;
  EXPECT_FALSE(condition.holds(0x1ff, 0x100));
  condition.relation = Relation::kNotEqual;
  EXPECT_FALSE(condition.holds(0x1ff, 0xff));
  condition.relation = Relation::kAboveOrEqual;
  EXPECT_TRUE(condition.holds(5, 5));
  EXPECT_EQ(condition.sign_extended(0x180), -128);
}

}  // namespace
}  // namespace assay
