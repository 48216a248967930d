#include "harness/profile_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using testing::ContainsRegex;

CampaignResult some_result() {
  CampaignResult result;
  result.summary.by_reason = {{Reason::kNone, 95},
                              {Reason::kSystemCall, 2},
                              {Reason::kUnstable, 2},
                              {Reason::kKernelAddress, 1}};
  result.progress.measured = 45;
  result.progress.rejected = 4;
  result.progress.failed = 1;
  result.progress.known = 50;
  result.progress.elapsed = std::chrono::seconds(2);
  return result;
}

TEST(ProfileSummary, JsonCountsEveryVerdictAndReason) {
  CampaignRequest request;
  request.store = "results.sqlite";
  const auto json = to_json(some_result(), request);
  EXPECT_EQ(json["blocks"], 100);
  EXPECT_EQ(json["measured"], 95);
  EXPECT_EQ(json["rejected"], 4);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["reasons"].size(), 3U);
  EXPECT_EQ(json["reasons"]["unstable"], 2);
  EXPECT_EQ(json["new_blocks"], 50);
  EXPECT_EQ(json["blocks_per_second"], 25);
}

TEST(ProfileSummary, TextHasTheSame) {
  const std::string text = to_text(some_result(), {});
  EXPECT_THAT(text, ContainsRegex("measured +95 +95.00 %"));
  EXPECT_THAT(text, ContainsRegex("rejected +4 +4.00 %\n  system_call +2"));
  EXPECT_THAT(text, ContainsRegex("failed +1 +1.00 %\n  kernel_address +1"));
  EXPECT_THAT(text, ContainsRegex("blocks +100"));
  EXPECT_THAT(text, ContainsRegex("2.0 s, 25 blocks/s"));
}

TEST(ProfileSummary, AnEmptyCampaignDividesByNothing) {
  EXPECT_THAT(to_text({}, {}), ContainsRegex("measured +0 +0.00 %"));
}

}  // namespace
}  // namespace assay
