#include "harness/output/profile_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay {
namespace {

using testing::ContainsRegex;

CampaignResult some_result() {
  CampaignResult result;
  result.summary.by_reason = {{Reason::kNone, 95},
                              {Reason::kSystemCall, 2},
                              {Reason::kUnstable, 2},
                              {Reason::kKernelAddress, 1}};
  result.summary.by_trait = {{Trait::kSplitLine, 3}};
  result.summary.by_initial_state = {{"distinct", 90}, {"apart", 5}};
  result.summary.blocks = 100;
  result.summary.by_notion[Notion::kUnrolled] = result.summary;
  result.progress.measured = 45;
  result.progress.rejected = 4;
  result.progress.failed = 1;
  result.progress.fresh = 50;
  result.progress.known = 50;
  result.progress.workers_replaced = 3;
  result.progress.waited = std::chrono::milliseconds(250);
  result.progress.elapsed = std::chrono::seconds(3);
  result.progress.rechecking = std::chrono::seconds(1);
  result.measured_in_campaign = 300;
  result.agreement = {.blocks = 4,
                      .both_measured = 3,
                      .within_intervals = 2,
                      .other_verdict = 1,
                      .median_difference = 0.001,
                      .largest_difference = 0.25};
  return result;
}

TEST(ProfileSummary, JsonCountsEveryVerdictAndReason) {
  CampaignRequest request;
  request.store = "results.sqlite";
  request.processors = {5, 3};
  request.shard = {2, 8};
  const auto json = to_json(some_result(), request);
  EXPECT_EQ(json["blocks"], 100);
  EXPECT_EQ(json["measured"], 95);
  EXPECT_EQ(json["rejected"], 4);
  EXPECT_EQ(json["failed"], 1);
  EXPECT_EQ(json["reasons"].size(), 3U);
  EXPECT_EQ(json["reasons"]["unstable"], 2);
  EXPECT_EQ(json["traits"].dump(), R"({"split_line":3})");
  EXPECT_EQ(json["initial_states"].dump(), R"({"apart":5,"distinct":90})");
  EXPECT_EQ(json["new_blocks"], 50);
  EXPECT_EQ(json["new_measurements"], 50);
  EXPECT_EQ(json["seconds_waiting"], 0.25);
  EXPECT_EQ(json["seconds"], 3);
  EXPECT_EQ(json["seconds_rechecking"], 1);
  EXPECT_EQ(json["blocks_per_second"], 25) << "while blocks were measured for the first time";
  EXPECT_EQ(json["processors"].dump(), "[5,3]");
  EXPECT_EQ(json["workers_replaced"], 3);
  EXPECT_EQ(json["shard"].dump(), R"({"index":2,"count":8})");
  EXPECT_EQ(json["recheck"].dump(),
            R"({"blocks":4,"both_measured":3,"within_intervals":2,"other_verdict":1,)"
            R"("median_difference":0.001,"largest_difference":0.25})");
}

/// A result with as many outcomes under a second notion, of which more were measured.
CampaignResult result_of_both() {
  CampaignResult result = some_result();
  result.summary.by_notion[Notion::kLooped].by_reason = {{Reason::kNone, 100}};
  result.summary.by_reason[Reason::kNone] += 100;
  return result;
}

CampaignRequest request_for_both() {
  CampaignRequest request;
  request.notions = {Notion::kUnrolled, Notion::kLooped};
  return request;
}

TEST(ProfileSummary, JsonAddsNotionsUpAndTellsThemApart) {
  const auto json = to_json(result_of_both(), request_for_both());
  EXPECT_EQ(json["blocks"], 100);
  EXPECT_EQ(json["measured"], 195);
  EXPECT_EQ(json["notions"].size(), 2U);
  EXPECT_EQ(json["notions"]["unrolled"]["measured"], 95);
  EXPECT_EQ(json["notions"]["unrolled"]["reasons"]["unstable"], 2);
  EXPECT_EQ(json["notions"]["unrolled"]["traits"]["split_line"], 3);
  EXPECT_EQ(json["notions"]["looped"]["measured"], 100);
}

TEST(ProfileSummary, JsonHasANotionWithoutAnyOutcome) {
  const auto json = to_json(some_result(), request_for_both());
  EXPECT_EQ(json["notions"]["looped"]["measured"], 0);
}

TEST(ProfileSummary, TextHasATableForEachNotion) {
  const std::string text = to_text(result_of_both(), request_for_both());
  EXPECT_THAT(text, ContainsRegex("unrolled:\nmeasured +95 +95.00 %"));
  EXPECT_THAT(text, ContainsRegex("looped:\nmeasured +100 +100.00 %"));
}

TEST(ProfileSummary, TextHasTheSame) {
  const std::string text = to_text(some_result(), {});
  EXPECT_THAT(text, ContainsRegex("measured +95 +95.00 %"));
  EXPECT_THAT(text, ContainsRegex("rejected +4 +4.00 %\n  system_call +2"));
  EXPECT_THAT(text, ContainsRegex("failed +1 +1.00 %\n  kernel_address +1"));
  EXPECT_THAT(text, ContainsRegex("measured .*\n  in state apart +5 +5.00 %\n  in state distinct"));
  EXPECT_THAT(text, ContainsRegex("  with split_line +3 +3.00 %\nrejected"));
  EXPECT_THAT(text, ContainsRegex("blocks +100"));
  EXPECT_THAT(text, ContainsRegex("workers replaced because they ended or stalled: 3\n"));
  EXPECT_THAT(text, ContainsRegex("3.0 s, 0.2 s of them waiting for a quiet core; 25 blocks/s"));
  EXPECT_THAT(
      text, ContainsRegex("recheck: 4 of 300 values rechecked: 2 of 3 agree within their intervals "
                          ".66.7 %., median difference 0.10 %, largest 25.0 %; 1 with "
                          "another verdict"));
}

TEST(ProfileSummary, AnEmptyCampaignDividesByNothing) {
  EXPECT_THAT(to_text(CampaignResult{}, {}), ContainsRegex("measured +0 +0.00 %"));
}

TEST(ProfileSummary, AnInterruptedCampaignMayHaveMoreInTheStoreThanItSays) {
  CampaignResult result = some_result();
  EXPECT_THAT(to_text(result, {}), ContainsRegex("50 already in the store; 3.0 s"));
  result.interrupted = true;
  EXPECT_THAT(to_text(result, {}),
              ContainsRegex("50 already in the store of those that it came to; 3.0 s"));
}

}  // namespace
}  // namespace assay
