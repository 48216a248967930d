#include "harness/campaign.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "profiler/machine/processor.h"
#include "tests/harness/process.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Pair;

/// Two blocks, of which the second is refused.
class CampaignRunTest : public testing::Test {
 protected:
  CampaignRunTest() {
    request_.corpora = {folder_.write("c.hex", "4801d8\n0f05\n4801d8\n")};
    request_.store = folder_ / "results.sqlite";
    request_.processor = allowed_processors().back();
  }
  CampaignResult run() {
    return run_campaign(request_, {[this](const CampaignProgress& now) { latest_ = now; },
                                   [](const std::string&) {}, [this] { return interrupted_(); }});
  }
  /// No series is quick enough for such a canary, so that every block waits.
  void disturb(std::chrono::milliseconds patience) {
    request_.settings.series_slowdown = -10;
    request_.settings.patience = patience;
  }

  TemporaryFolder folder_;
  CampaignRequest request_;
  CampaignProgress latest_;
  std::function<bool()> interrupted_ = [] { return false; };
};

TEST_F(CampaignRunTest, MeasuresABlockOnceUnderEachNotion) {
  request_.notions = {Notion::kUnrolled, Notion::kLooped};
  const CampaignResult result = run();
  EXPECT_EQ(result.progress.lines, 3);
  EXPECT_EQ(result.progress.blocks, 2);
  EXPECT_EQ(result.progress.fresh, 2);
  EXPECT_EQ(result.progress.outcomes(), 4);
  EXPECT_EQ(result.summary.blocks, 2);
  EXPECT_EQ(result.summary.total(), 4);
  EXPECT_EQ(result.summary.by_notion.at(Notion::kUnrolled).by_reason.at(Reason::kSystemCall), 1);
  EXPECT_EQ(result.summary.by_notion.at(Notion::kLooped).by_reason.at(Reason::kSystemCall), 1);
}

TEST_F(CampaignRunTest, ABlockIsKnownOnlyUnderAllNotionsAskedFor) {
  disturb(std::chrono::milliseconds(0));  // outcomes of the moment, but for the refused block
  run();
  request_.notions = {Notion::kUnrolled, Notion::kLooped};
  const CampaignProgress second = run().progress;
  EXPECT_EQ(second.known, 0);
  EXPECT_EQ(second.fresh, 2);
  EXPECT_EQ(second.outcomes(), 3);
  EXPECT_EQ(run().progress.known, 1);
  request_.notions = {Notion::kLooped};
  const CampaignResult fourth = run();
  EXPECT_EQ(fourth.progress.known, 1);
  EXPECT_THAT(fourth.summary.by_notion, ElementsAre(Pair(Notion::kLooped, testing::_)));
}

TEST_F(CampaignRunTest, CountsTheTimeThatBlocksWait) {
  disturb(std::chrono::milliseconds(5));
  const CampaignResult result = run();
  EXPECT_EQ(result.summary.by_reason.at(Reason::kInterference), 1);
  EXPECT_GE(result.progress.waited, std::chrono::milliseconds(5));
  EXPECT_EQ(result.progress.waiting.count(), 0) << "no block waits any more";
}

TEST_F(CampaignRunTest, EndsInTheMiddleOfAWait) {
  disturb(std::chrono::hours(1));
  interrupted_ = [this, noted = false]() mutable {
    noted = noted || latest_.waiting.count() > 0;
    return noted;
  };
  const CampaignResult result = run();
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.progress.blocks, 1);
  EXPECT_EQ(result.progress.fresh, 0);
  EXPECT_EQ(result.summary.total(), 0) << "the block gets no outcome";
}

}  // namespace
}  // namespace assay
