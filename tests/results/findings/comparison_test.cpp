#include "results/findings/comparison.h"

#include <gmock/gmock.h>

#include "results/store/store.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

Measurement with_width(double cycles, double half_width) {
  Measurement measurement = measured(cycles);
  measurement.estimate->half_width = half_width;
  return measurement;
}

TEST(IntervalsMeet, AtTheirEndsToo) {
  EXPECT_TRUE(
      intervals_meet({.cycles = 1, .half_width = 0.25}, {.cycles = 1.5, .half_width = 0.25}));
  EXPECT_FALSE(
      intervals_meet({.cycles = 1, .half_width = 0.25}, {.cycles = 1.5001, .half_width = 0.25}));
  EXPECT_TRUE(intervals_meet({.cycles = 2, .half_width = 0}, {.cycles = 2, .half_width = 0}));
}

TEST(IntervalsMeet, WhateverRoundingMakesOfTheirEnds) {
  // As doubles, 1.1 - 1.0 is more than 0.05 + 0.05.
  EXPECT_TRUE(
      intervals_meet({.cycles = 1.0, .half_width = 0.05}, {.cycles = 1.1, .half_width = 0.05}));
  EXPECT_TRUE(
      intervals_meet({.cycles = 1.1, .half_width = 0.05}, {.cycles = 1.0, .half_width = 0.05}));
}

class ComparisonTest : public ::testing::Test {
 protected:
  Comparison compared(std::optional<Notion> notion = std::nullopt, std::size_t worst = 20) {
    OutcomeReader from_a = a_.outcomes({some_campaign(a_), notion, std::nullopt});
    OutcomeReader from_b = b_.outcomes({some_campaign(b_), notion, std::nullopt});
    return compare(from_a, from_b, worst);
  }
  void put(std::uint32_t number, const Measurement& in_a, const Measurement& in_b) {
    a_.put(some_campaign(a_), some_block(number), in_a);
    b_.put(some_campaign(b_), some_block(number), in_b);
  }

  TemporaryFolder folder_;
  Store a_ = Store::open(folder_ / "a.sqlite");
  Store b_ = Store::open(folder_ / "b.sqlite");
};

TEST_F(ComparisonTest, BlocksOfOtherStatesAreOtherBlocks) {
  const BlockRecord zero = with_state(some_block(1), "zero"),
                    bhive = with_state(some_block(1), "bhive");
  a_.put(some_campaign(a_), zero, measured(2));
  a_.put(some_campaign(a_), some_block(1), measured(1));
  b_.put(some_campaign(b_), bhive, measured(7));
  b_.put(some_campaign(b_), zero, measured(2));
  const Comparison comparison = compared();
  EXPECT_EQ(comparison.all.in_both, 1);
  EXPECT_EQ(comparison.only_in_a, 1);
  EXPECT_EQ(comparison.only_in_b, 1);
  ASSERT_EQ(comparison.worst.size(), 1U);
  EXPECT_EQ(comparison.worst[0].block.state, "zero");
  EXPECT_EQ(comparison.worst[0].difference, 0);
}

TEST_F(ComparisonTest, FindsBlocksInBothHoweverTheyWereStored) {
  for (const std::uint32_t number : {5, 1, 3, 2}) {
    a_.put(some_campaign(a_), some_block(number), measured(1));
  }
  for (const std::uint32_t number : {2, 4, 5, 6, 7}) {
    b_.put(some_campaign(b_), some_block(number), measured(1));
  }
  const Comparison comparison = compared();
  EXPECT_EQ(comparison.all.in_both, 2);
  EXPECT_EQ(comparison.all.measured_in_both(), 2);
  EXPECT_EQ(comparison.only_in_a, 2);
  EXPECT_EQ(comparison.only_in_b, 3);
}

TEST_F(ComparisonTest, ANotionIsComparedWithItsLike) {
  Measurement looped = measured(2);
  looped.notion = Notion::kLooped;
  put(1, looped, looped);
  put(1, measured(1), measured(1));
  a_.put(some_campaign(a_), some_block(2), looped);
  b_.put(some_campaign(b_), some_block(2), measured(2));
  EXPECT_EQ(compared().all.in_both, 2);
  EXPECT_EQ(compared().only_in_a, 1);
  EXPECT_EQ(compared().only_in_b, 1);
  EXPECT_EQ(compared(Notion::kLooped).all.in_both, 1);
  EXPECT_EQ(compared(Notion::kLooped).only_in_a, 1);
  EXPECT_EQ(compared(Notion::kLooped).only_in_b, 0);
}

TEST_F(ComparisonTest, CountsOutcomesThatDiffer) {
  put(1, measured(1), without_number(Reason::kUnstable));
  put(2, measured(1), without_number(Reason::kUnstable));
  put(3, without_number(Reason::kTrap), without_number(Reason::kNullPage));
  put(4, without_number(Reason::kTrap), without_number(Reason::kTrap));
  put(5, measured(1), measured(3));
  const Comparison comparison = compared();
  EXPECT_EQ(comparison.all.in_both, 5);
  EXPECT_EQ(comparison.all.measured_in_both(), 1);
  EXPECT_THAT(comparison.other_reasons,
              ElementsAre(Pair(Pair(Reason::kNone, Reason::kUnstable), 2),
                          Pair(Pair(Reason::kTrap, Reason::kNullPage), 1)));
}

TEST_F(ComparisonTest, CountsAgreementWithItsLimits) {
  put(1, with_width(100, 1), with_width(101, 0));         // 1 %, at the limits of both
  put(2, with_width(1, 0.001), with_width(1.02, 0.001));  // 2 %, apart
  put(3, with_width(100, 4), with_width(95, 2));          // -5 %, meeting
  put(4, with_width(100, 1), with_width(110, 1));         // 10 %
  put(5, with_width(100, 1), with_width(111, 1));
  const Comparison comparison = compared();
  EXPECT_EQ(comparison.all.meeting, 2);
  EXPECT_THAT(comparison.all.within, ElementsAre(1, 2, 3, 4));
}

TEST_F(ComparisonTest, DifferencesAreRelativeToA) {
  put(1, measured(2), measured(1));  // -50 %
  put(2, measured(1), measured(2));  // +100 %
  put(3, measured(4), measured(5));  // +25 %
  const DifferenceStatistics statistics = compared().all.statistics();
  EXPECT_DOUBLE_EQ(statistics.median, 0.25);
  EXPECT_DOUBLE_EQ(statistics.median_absolute, 0.5);
  EXPECT_DOUBLE_EQ(statistics.mean_absolute, 1.75 / 3);
}

TEST_F(ComparisonTest, NothingInCommonHasNoStatistics) {
  const Comparison comparison = compared();
  EXPECT_EQ(comparison.all.in_both, 0);
  EXPECT_EQ(comparison.all.statistics().mean_absolute, 0);
  EXPECT_THAT(comparison.worst, IsEmpty());
}

TEST_F(ComparisonTest, KeepsTheWorst) {
  for (std::uint32_t i = 1; i <= 10; ++i) put(i, measured(1), measured(1 + i * 0.0625));
  put(11, measured(16), measured(1));
  put(12, measured(1), measured(1 + 10 * 0.0625));  // as far apart as block 10, and listed after it
  const Comparison comparison = compared(std::nullopt, 3);
  ASSERT_EQ(comparison.worst.size(), 3U);
  EXPECT_EQ(comparison.worst[0].difference, -0.9375);
  EXPECT_EQ(comparison.worst[0].a.cycles, 16);
  EXPECT_EQ(comparison.worst[0].b.cycles, 1);
  EXPECT_EQ(comparison.worst[0].block.text, some_block(11).text);
  EXPECT_EQ(comparison.worst[1].block.bytes, some_block(10).bytes);
  EXPECT_EQ(comparison.worst[1].difference, 0.625);
  EXPECT_EQ(comparison.worst[2].block.bytes, some_block(12).bytes);
  EXPECT_THAT(compared(std::nullopt, 1).worst, ::testing::SizeIs(1));
  EXPECT_THAT(compared(std::nullopt, 0).worst, IsEmpty());
}

TEST_F(ComparisonTest, TellsWhereABlockIsFrom) {
  put(1, measured(1), measured(2));
  put(2, measured(1), measured(3));
  a_.add_source(some_block(1), some_source("a", 7, 0.5));
  b_.add_source(some_block(1), some_source("b", 8, 0.5));
  b_.add_source(some_block(2), some_source("b", 9, 0.5));
  const Comparison comparison = compared();
  ASSERT_EQ(comparison.worst.size(), 2U);
  EXPECT_EQ(comparison.worst[0].sources.at(0).line, 9) << "of b, as a has none";
  EXPECT_EQ(comparison.worst[1].sources.at(0).line, 7);
}

TEST_F(ComparisonTest, CountsByCorpus) {
  put(1, with_width(1, 0.1), with_width(1.1, 0.1));
  put(2, with_width(1, 0.1), with_width(2, 0.1));
  put(3, measured(1), without_number(Reason::kUnstable));
  a_.add_source(some_block(1), some_source("x", 1, 0.5));
  a_.add_source(some_block(1), some_source("x", 2, 0.5));
  b_.add_source(some_block(1), some_source("x", 1, 0.5));
  b_.add_source(some_block(2), some_source("x", 3, 0.5));
  a_.add_source(some_block(2), some_source("y", 1, 0.5));
  a_.add_source(some_block(3), some_source("y", 2, 0.5));
  const Comparison comparison = compared();
  ASSERT_EQ(comparison.by_corpus.size(), 2U);
  const ComparisonTally& x = comparison.by_corpus.at("x");
  EXPECT_EQ(x.in_both, 2) << "a block counts once in a corpus, whichever store has it there";
  EXPECT_EQ(x.measured_in_both(), 2);
  EXPECT_EQ(x.meeting, 1);
  const ComparisonTally& y = comparison.by_corpus.at("y");
  EXPECT_EQ(y.in_both, 2);
  EXPECT_EQ(y.measured_in_both(), 1);
  EXPECT_EQ(y.meeting, 0);
  EXPECT_EQ(comparison.all.in_both, 3);
}

}  // namespace
}  // namespace assay
