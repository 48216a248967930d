// How rechecks agree with the first measurements.
#include "results/findings/agreement.h"

#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "tests/results/records.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

class AgreementTest : public ::testing::Test {
 protected:
  void put(std::uint32_t number, const Measurement& first, const Measurement& second) {
    store_.put(campaign_, some_block(number), first);
    store_.put_recheck(campaign_, some_block(number), second);
  }
  bool has_recheck(std::uint32_t number, Notion notion = Notion::kUnrolled) {
    return store_.has_recheck(campaign_, some_block(number), notion);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "results.sqlite";
  Store store_ = Store::open(path_);
  CampaignId campaign_ = some_campaign(store_);
};

TEST_F(AgreementTest, IsOfTheBlocksThatWereMeasuredTwice) {
  store_.put(campaign_, some_block(9), measured(1));
  EXPECT_EQ(recheck_agreement(store_, campaign_).blocks, 0);
  put(1, measured(1), measured(1));      // half-widths are 0.01
  put(2, measured(2), measured(2.019));  // 0.95 %
  put(3, measured(4), measured(3));      // 25 %
  put(4, measured(1), measured(1.5));    // 50 %
  put(5, measured(1), without_number(Reason::kPageLimit));
  put(6, without_number(Reason::kTrap), without_number(Reason::kBusError));
  const Agreement agreement = recheck_agreement(store_, campaign_);
  EXPECT_EQ(agreement.blocks, 6);
  EXPECT_EQ(agreement.both_measured, 4);
  EXPECT_EQ(agreement.within_intervals, 2);
  EXPECT_EQ(agreement.other_verdict, 1);
  EXPECT_NEAR(agreement.median_difference, (0.0095 + 0.25) / 2, 1e-12);
  EXPECT_DOUBLE_EQ(agreement.largest_difference, 0.5);
}

TEST_F(AgreementTest, TheMedianOfAnOddNumberIsOneOfThem) {
  put(1, measured(1), measured(1));
  put(2, measured(1), measured(1.5));
  put(3, measured(1), measured(1.25));
  EXPECT_DOUBLE_EQ(recheck_agreement(store_, campaign_).median_difference, 0.25);
}

TEST_F(AgreementTest, IntervalsThatTouchButForRoundingMeet) {
  ASSERT_GT(1.02 - 1.0, 0.01 + 0.01);
  put(1, measured(1), measured(1.02));
  EXPECT_EQ(recheck_agreement(store_, campaign_).within_intervals, 1);
}

TEST_F(AgreementTest, LeavesOutWhatSaysNothingOfTheBlock) {
  put(1, measured(1), without_number(Reason::kInterference));
  put(2, without_number(Reason::kInterference), measured(1));
  EXPECT_EQ(recheck_agreement(store_, campaign_).blocks, 0);
}

TEST_F(AgreementTest, ARepeatIsKnownAndReplacesAnEarlierOne) {
  EXPECT_FALSE(has_recheck(1));
  put(1, measured(1), measured(2));
  EXPECT_TRUE(has_recheck(1));
  EXPECT_FALSE(has_recheck(1, Notion::kLooped));
  store_.put_recheck(campaign_, some_block(1), measured(1.5));
  EXPECT_EQ(recheck_agreement(store_, campaign_).blocks, 1);
  EXPECT_DOUBLE_EQ(recheck_agreement(store_, campaign_).largest_difference, 0.5);
  store_.commit();
  Store reader = Store::open_read_only(path_);
  EXPECT_EQ(recheck_agreement(reader, campaign_).blocks, 1);
}

TEST_F(AgreementTest, ARepeatGoesWithAnOutcomeThatIsReplaced) {
  put(1, without_number(Reason::kInterference), measured(1));
  EXPECT_TRUE(has_recheck(1));
  store_.put(campaign_, some_block(1), measured(1));
  EXPECT_FALSE(has_recheck(1));
}

TEST_F(AgreementTest, NothingIsMeasuredASecondTimeBeforeTheFirst) {
  EXPECT_THROW(store_.put_recheck(campaign_, some_block(1), measured(1)), Error);
  store_.put(campaign_, some_block(1), measured(1));
  Measurement looped = measured(1);
  looped.notion = Notion::kLooped;
  EXPECT_THROW(store_.put_recheck(campaign_, some_block(1), looped), Error);
  EXPECT_THROW(store_.put_recheck(campaign_, some_block(1), measured(-1)), Error);
  EXPECT_EQ(recheck_agreement(store_, campaign_).blocks, 0);
}

}  // namespace
}  // namespace assay
