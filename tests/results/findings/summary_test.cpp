#include "results/findings/summary.h"

#include <gmock/gmock.h>

#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// A store in which blocks 1 and 2 (measured) stand in corpus a, 2 and 3 (rejected) in b, and 4
/// (failed) in neither.
class SummaryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_.put(campaign_, some_block(1), measured(1));
    Measurement second = measured(2);
    second.traits = {Trait::kSplitLine, Trait::kSubnormal};
    second.initial_state = "apart";
    store_.put(campaign_, some_block(2), second);
    Measurement third = without_number(Reason::kPageLimit);
    third.traits = {Trait::kSplitLine};
    third.initial_state = "apart";
    store_.put(campaign_, some_block(3), third);
    store_.put(campaign_, some_block(4), without_number(Reason::kTrap));
    store_.add_source(some_block(1), some_source("a", 1, 0.5));
    store_.add_source(some_block(2), some_source("a", 2));
    store_.add_source(some_block(2), some_source("b", 1, 0.5));
    store_.add_source(some_block(3), some_source("b", 2, 0.5));
  }

  TemporaryFolder folder_;
  Store store_ = Store::open(folder_ / "results.sqlite");
  CampaignId campaign_ = some_campaign(store_);
};

TEST_F(SummaryTest, CountsByReasonAndVerdict) {
  const Summary summary = summarize(store_, campaign_);
  EXPECT_THAT(summary.by_reason, ElementsAre(Pair(Reason::kNone, 2), Pair(Reason::kPageLimit, 1),
                                             Pair(Reason::kTrap, 1)));
  EXPECT_EQ(summary.count(Verdict::kMeasured), 2);
  EXPECT_EQ(summary.count(Verdict::kRejected), 1);
  EXPECT_EQ(summary.count(Verdict::kFailed), 1);
  EXPECT_EQ(summary.total(), 4);
}

TEST_F(SummaryTest, CountsMeasuredBlocksByTraitAndState) {
  const Summary summary = summarize(store_, campaign_);
  EXPECT_THAT(summary.by_trait,
              ElementsAre(Pair(Trait::kSplitLine, 1), Pair(Trait::kSubnormal, 1)));
  EXPECT_THAT(summary.by_initial_state, ElementsAre(Pair("apart", 1), Pair("distinct", 1)));
}

TEST_F(SummaryTest, CountsStatesByTheirProfileAlone) {
  for (std::uint32_t i = 0; i < 3; ++i) {
    Measurement own = measured(1);
    own.initial_state = "apart rax=0x" + std::to_string(i);
    store_.put(campaign_, with_state(some_block(1), own.initial_state), own);
  }
  const Summary summary = summarize(store_, campaign_);
  EXPECT_THAT(summary.by_initial_state, ElementsAre(Pair("apart", 4), Pair("distinct", 1)));
  EXPECT_EQ(summary.blocks, 7);
}

TEST_F(SummaryTest, CountsEachNotionAndDistinctBlocks) {
  Measurement looped = measured(0.75);
  looped.notion = Notion::kLooped;
  store_.put(campaign_, some_block(1), looped);
  const Summary summary = summarize(store_, campaign_);
  EXPECT_EQ(summary.blocks, 4);
  EXPECT_EQ(summary.total(), 5);
  ASSERT_EQ(summary.by_notion.size(), 2U);
  EXPECT_EQ(summary.by_notion.at(Notion::kUnrolled).total(), 4);
  EXPECT_THAT(summary.by_notion.at(Notion::kLooped).by_reason, ElementsAre(Pair(Reason::kNone, 1)));
  const Notion notions[] = {Notion::kLooped};
  EXPECT_EQ(summarize(store_, campaign_, {}, notions).blocks, 1);
  EXPECT_EQ(summarize(store_, campaign_, {}, notions).total(), 1);
}

TEST_F(SummaryTest, CountsTheBlocksOfOneCorpus) {
  const std::string corpora[] = {"b"};
  EXPECT_THAT(summarize(store_, campaign_, corpora).by_reason,
              ElementsAre(Pair(Reason::kNone, 1), Pair(Reason::kPageLimit, 1)));
}

TEST_F(SummaryTest, CountsABlockOfTwoCorporaOnce) {
  const std::string corpora[] = {"a", "b"};
  EXPECT_EQ(summarize(store_, campaign_, corpora).total(), 3);
  EXPECT_EQ(summarize(store_, campaign_, corpora).blocks, 3);
}

TEST_F(SummaryTest, FindsNothingInAnUnknownCorpusOrCampaign) {
  const std::string corpora[] = {"c\"]"};
  EXPECT_EQ(summarize(store_, campaign_, corpora).total(), 0);
  EXPECT_EQ(summarize(store_, CampaignId{99}).total(), 0);
}

}  // namespace
}  // namespace assay
