#include "profiler/running/loop_bounds.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

using enum GeneralRegister;
using Relation = LoopCondition::Relation;

std::size_t index_of(GeneralRegister reg) { return static_cast<std::size_t>(reg); }

/// A loop that compares RAX with RBX, which move by so much in each turn before they are compared.
struct Counting {
  LoopCondition condition;
  std::int64_t step_a = 0;
  std::int64_t step_b = 0;
  InitialState state = distinct_initial_state();

  Counting(Relation relation, std::int64_t a, std::int64_t b, int bits = 64)
      : step_a(a), step_b(b) {
    condition.relation = relation;
    condition.bits = bits;
    condition.a.reg = kRax;
    condition.b.reg = kRbx;
  }

  Compared in_copy(const InitialState& first, std::int64_t copy) const {
    return {first.general[index_of(kRax)] + static_cast<std::uint64_t>(step_a * (copy + 1)),
            first.general[index_of(kRbx)] + static_cast<std::uint64_t>(step_b * (copy + 1))};
  }
  std::vector<LoopBound> bounds() const {
    std::vector<Compared> compared;
    for (std::int64_t copy = 0; copy < 16; ++copy) compared.push_back(in_copy(state, copy));
    return possible_bounds(condition, compared, state);
  }
  /// How many turns it makes with this bound for `turns`; a few more than that at most.
  std::int64_t turns(const LoopBound& bound, std::int64_t turns) const {
    InitialState first = state;
    first.general[index_of(bound.reg)] = bound.value(Iterations(turns));
    for (std::int64_t turn = 0; turn < turns + 9; ++turn) {
      const Compared values = in_copy(first, turn);
      if (!condition.holds(values.a, values.b)) return turn + 1;
    }
    return turns + 9;
  }
};

void expect_turns(const Counting& loop, std::size_t bounds = 2) {
  ASSERT_EQ(loop.bounds().size(), bounds);
  for (const LoopBound& bound : loop.bounds()) {
    for (const std::int64_t turns : {1, 2, 3, 100, 3000}) {
      EXPECT_EQ(loop.turns(bound, turns), turns)
          << static_cast<int>(loop.condition.relation) << " by " << static_cast<int>(bound.reg);
    }
  }
}

TEST(LoopBounds, EndEveryRelationAfterSoManyTurns) {
  for (const int bits : {32, 64}) {
    expect_turns({Relation::kNotEqual, 8, 0, bits});
    expect_turns({Relation::kNotEqual, -24, 0, bits});
    expect_turns({Relation::kLess, 1, 0, bits});
    expect_turns({Relation::kGreaterOrEqual, -1, 0, bits});
    expect_turns({Relation::kGreater, -3, 0, bits});
    expect_turns({Relation::kLessOrEqual, 5, 0, bits});
    expect_turns({Relation::kBelow, 1, 0, bits});
    expect_turns({Relation::kAboveOrEqual, -1, 0, bits});
    expect_turns({Relation::kAbove, -16, 0, bits});
    expect_turns({Relation::kBelowOrEqual, 2, 0, bits});
    expect_turns({Relation::kBelow, 8, -8, bits});
  }
}

TEST(LoopBounds, TheOneThatStandsStillComesFirst) {
  EXPECT_EQ(Counting(Relation::kNotEqual, 8, 0).bounds().front().reg, kRbx);
  EXPECT_EQ(Counting(Relation::kNotEqual, 0, 8).bounds().front().reg, kRax);
}

TEST(LoopBounds, AConstantLeavesTheOther) {
  Counting loop(Relation::kNotEqual, -1, 0);
  loop.condition.b = {.constant = 0};
  std::vector<Compared> compared;
  for (std::int64_t copy = 0; copy < 4; ++copy) {
    compared.push_back({loop.in_copy(loop.state, copy).a, 0});
  }
  const auto bounds = possible_bounds(loop.condition, compared, loop.state);
  ASSERT_EQ(bounds.size(), 1U);
  EXPECT_EQ(bounds[0].value(Iterations(7)), 7U);
}

TEST(LoopBounds, NoneWhereNothingComesCloser) {
  EXPECT_TRUE(Counting(Relation::kLess, -1, 0).bounds().empty()) << "moves away";
  EXPECT_TRUE(Counting(Relation::kNotEqual, 4, 4).bounds().empty()) << "always as far apart";
  EXPECT_TRUE(Counting(Relation::kAbove, 1, 0).bounds().empty());
}

TEST(LoopBounds, NoneWhereStepsDiffer) {
  const Counting loop(Relation::kNotEqual, 8, 0);
  std::vector<Compared> compared;
  for (std::int64_t copy = 0; copy < 8; ++copy) compared.push_back(loop.in_copy(loop.state, copy));
  compared[5].a += 1;
  EXPECT_TRUE(possible_bounds(loop.condition, compared, loop.state).empty());
  compared.resize(2);
  EXPECT_TRUE(possible_bounds(loop.condition, compared, loop.state).empty()) << "too few";
}

TEST(LoopBounds, KeepTheUpperBitsOfNarrowRegisters) {
  const Counting loop(Relation::kNotEqual, 1, 0, 32);
  Counting wide = loop;
  wide.state.general[index_of(kRbx)] = 0x1234'5678'0000'0010;
  EXPECT_EQ(wide.bounds().front().value(Iterations(5)) >> 32, 0x1234'5678U);
}

/// A trace in which each copy loads a byte further on, which is compared with a constant.
Trace walk_over_bytes(std::uint64_t loaded, std::uint64_t constant) {
  Trace trace;
  for (std::int64_t copy = 0; copy < 4; ++copy) {
    trace.accesses.push_back(
        {copy, 0, 0x5000 + static_cast<std::uint64_t>(copy), 1, 1, true, false});
    trace.compared.push_back({loaded, constant});
  }
  return trace;
}

LoopCondition of_bytes(Relation relation) {
  LoopCondition condition;
  condition.bits = 8;
  condition.relation = relation;
  condition.a.reg = kRax;
  return condition;
}

TEST(LoopSentinels, LieWhereTheLastTurnLoads) {
  const auto sentinels =
      possible_sentinels(of_bytes(Relation::kNotEqual), walk_over_bytes('A', '\n'));
  ASSERT_FALSE(sentinels.empty());
  const LoopSentinel& first = sentinels.front();
  EXPECT_EQ(first.address(Iterations(1)), 0x5000U);
  EXPECT_EQ(first.address(Iterations(100)), 0x5000U + 99);
  EXPECT_EQ(first.size, 1);
  EXPECT_EQ(first.value, '\n') << "which is what ends it";
  // What was loaded in the turn before may be compared.
  EXPECT_EQ(sentinels.back().address(Iterations(100)), 0x5000U + 98);
}

TEST(LoopSentinels, EndEqualityByAnythingElse) {
  const auto sentinels = possible_sentinels(of_bytes(Relation::kEqual), walk_over_bytes(' ', ' '));
  ASSERT_FALSE(sentinels.empty());
  EXPECT_NE(sentinels.front().value & 0xff, static_cast<unsigned>(' '));
}

TEST(LoopSentinels, NoneWhereTheLoopEndsAnyway) {
  EXPECT_TRUE(
      possible_sentinels(of_bytes(Relation::kNotEqual), walk_over_bytes('\n', '\n')).empty());
}

TEST(LoopSentinels, NoneWhereNothingWalks) {
  Trace still = walk_over_bytes('A', 0);
  for (TracedAccess& access : still.accesses) access.address = 0x5000;
  EXPECT_TRUE(possible_sentinels(of_bytes(Relation::kNotEqual), still).empty());
  Trace uneven = walk_over_bytes('A', 0);
  uneven.accesses[2].address += 1;
  EXPECT_TRUE(possible_sentinels(of_bytes(Relation::kNotEqual), uneven).empty());
  Trace stores = walk_over_bytes('A', 0);
  for (TracedAccess& access : stores.accesses) access.read = false;
  EXPECT_TRUE(possible_sentinels(of_bytes(Relation::kNotEqual), stores).empty());
}

TEST(LoopSentinels, WordsAreOfEqualBytes) {
  const auto words = possible_words(of_bytes(Relation::kEqual), walk_over_bytes(1, 0x2d).compared);
  EXPECT_EQ(words.front(), 0x2d2d'2d2d'2d2d'2d2dU) << "equality holds for its constant";
  for (const std::uint64_t word : words) EXPECT_EQ(word, (word & 0xff) * 0x0101'0101'0101'0101);
}

}  // namespace
}  // namespace assay
