#include "harness/output/comparison_output.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <sstream>

#include "tests/results/records.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Campaign some_campaign_data(const Settings& settings = {}) {
  return {.id = CampaignId{3},
          .machine = some_machine(),
          .environment = some_environment(),
          .program_version = "0.1.0",
          .settings = to_json(settings),
          .protocol = settings.protocol,
          .clock = settings.clock,
          .started_at = "2024-05-17T08:30:00Z"};
}

ComparedBlock some_compared(double a, double b) {
  return {.block = some_block(1),
          .notion = Notion::kUnrolled,
          .a = {.cycles = a, .half_width = 0.25},
          .b = {.cycles = b, .half_width = 0.25},
          .difference = (b - a) / a,
          .sources = {some_source("gzip", 7, 0.5), some_source("sqlite", 9, 0.5)}};
}

ComparedCampaigns some_comparison() {
  ComparedCampaigns compared;
  compared.a = {"a.sqlite", some_campaign_data()};
  compared.b = {"b.sqlite", some_campaign_data()};
  Comparison& comparison = compared.comparison;
  comparison.all.in_both = 5;
  comparison.all.differences = {0.5, 0.0, -0.25, 0.125};
  comparison.all.meeting = 3;
  comparison.all.within = {1, 1, 1, 2};
  comparison.only_in_a = 6;
  comparison.only_in_b = 7;
  comparison.other_reasons = {{{Reason::kNone, Reason::kUnstable}, 1},
                              {{Reason::kTrap, Reason::kNone}, 2}};
  comparison.worst = {some_compared(2, 3)};
  comparison.by_corpus["gzip"] = comparison.all;
  comparison.by_corpus["empty"].in_both = 1;
  return compared;
}

TEST(ComparisonOutput, JsonHasAllOfIt) {
  const auto json = to_json(some_comparison());
  EXPECT_EQ(json["format"], "assay-comparison");
  EXPECT_EQ(json["version"], 1);
  EXPECT_EQ(json["a"]["store"], "a.sqlite");
  EXPECT_EQ(json["b"]["campaign"]["id"], 3);
  EXPECT_EQ(json["b"]["settings"]["clock"], "tsc");
  EXPECT_TRUE(json["different"].empty());
  EXPECT_EQ(json["in_both"], 5);
  EXPECT_EQ(json["only_in_a"], 6);
  EXPECT_EQ(json["only_in_b"], 7);
  EXPECT_EQ(json["measured_in_both"], 4);
  EXPECT_EQ(json["intervals_meet"], 3);
  EXPECT_EQ(json["within"][3].dump(), R"({"difference":0.1,"blocks":2})");
  EXPECT_EQ(json["median_difference"], 0.0625);
  EXPECT_EQ(json["median_absolute_difference"], 0.1875);
  EXPECT_EQ(json["mean_absolute_difference"], 0.21875);
  EXPECT_EQ(json["other_outcomes"][0].dump(),
            R"({"a":{"verdict":"failed","reason":"trap"},"b":{"verdict":"measured",)"
            R"("reason":"none"},"blocks":2})");
  EXPECT_EQ(json["worst"][0].dump(),
            R"({"hex":"b801000000","text":"mov eax, 1","state":"","notion":"unrolled",)"
            R"("a":{"cycles":2.0,"ci95":[1.75,2.25]},"b":{"cycles":3.0,"ci95":[2.75,3.25]},)"
            R"("difference":0.5,"intervals_meet":false,)"
            R"("sources":[{"corpus":"gzip","line":7,"frequency":0.5,"name":"","source":""},)"
            R"({"corpus":"sqlite","line":9,"frequency":0.5,"name":"","source":""}]})");
  EXPECT_EQ(json["corpora"][1]["corpus"], "gzip");
  EXPECT_EQ(json["corpora"][1]["intervals_meet"], 3);
}

TEST(ComparisonOutput, SaysTheStateOfABlocksOwn) {
  ComparedCampaigns compared = some_comparison();
  EXPECT_THAT(to_text(compared), Not(HasSubstr("    state ")));
  compared.comparison.worst[0].block.state = "zero rax=0x1";
  EXPECT_THAT(to_text(compared), HasSubstr("\n    mov eax, 1\n    state zero rax=0x1\n"));
  EXPECT_EQ(to_json(compared)["worst"][0]["state"], "zero rax=0x1");
}

TEST(ComparisonOutput, WhatHasNoValueIsNull) {
  const auto json = to_json(some_comparison());
  EXPECT_EQ(json["corpora"][0]["measured_in_both"], 0);
  EXPECT_TRUE(json["corpora"][0]["median_difference"].is_null());
}

TEST(ComparisonOutput, TextTellsWhatAUserAsks) {
  const std::string text = to_text(some_comparison());
  EXPECT_THAT(text, HasSubstr("A  a.sqlite, campaign 3, started 2024-05-17T08:30:00Z\n"
                              "   AMD EPYC (zen4), Linux 6.1.0, microcode 0xa101148\n"
                              "   assay 0.1.0, protocol assay, clock tsc\n"));
  EXPECT_THAT(text, HasSubstr("machine, environment, version and settings are the same\n"));
  EXPECT_THAT(text, HasSubstr("blocks in both                            5\n"
                              "  only in A                               6\n"
                              "  only in B                               7\n"
                              "  measured in A alone                     1\n"
                              "  measured in B alone                     2\n"
                              "measured in both                          4\n"
                              "  their intervals meet                    3    75.00 %\n"
                              "  within 1 % of A                         1    25.00 %\n"));
  EXPECT_THAT(text, HasSubstr("|B - A| / A: median 18.750 %, mean 21.875 %; (B - A) / A: median "
                              "+6.250 % (above 0: B is slower)\n"));
  EXPECT_THAT(text, HasSubstr("  trap                            measured                        "
                              "  2\n"
                              "  measured                        unstable                        "
                              "  1\n"));
  EXPECT_THAT(text, HasSubstr("  +50.00 %        2.000 +- 0.250        3.000 +- 0.250  apart     "
                              "unrolled gzip:7 +1\n"
                              "    b801000000\n"
                              "    mov eax, 1\n"));
  EXPECT_THAT(text, HasSubstr("gzip                                      5                 4"
                              "         75.00 %          18.750 %\n"));
  EXPECT_THAT(text, HasSubstr("empty                                     1                 0"
                              "               -                 -\n"));
}

TEST(ComparisonOutput, NamesWhatIsNotTheSame) {
  ComparedCampaigns compared = some_comparison();
  Settings settings;
  settings.page_limit = 64;
  compared.b.campaign = some_campaign_data(settings);
  EXPECT_THAT(to_text(compared), HasSubstr("  settings.page_limit             128                 "
                                           "             64\n"));
  EXPECT_EQ(to_json(compared)["different"].dump(),
            R"([{"name":"settings.page_limit","a":"128","b":"64"}])");
}

TEST(ComparisonOutput, NothingInCommonIsShort) {
  ComparedCampaigns compared = some_comparison();
  compared.comparison = {};
  const std::string text = to_text(compared);
  EXPECT_THAT(text, HasSubstr("measured in both                          0\n"));
  EXPECT_THAT(text, Not(HasSubstr("median")));
  EXPECT_THAT(text, Not(HasSubstr("corpus")));
}

/// Characters of two bytes each, after `before` characters of one byte.
std::string many_umlauts(std::size_t before) {
  std::string text(before, 'x');
  for (int i = 0; i < 100; ++i) text += "\xC3\xA4";
  return text;
}

/// The number of columns of a line of UTF-8: the bytes that begin a character.
int columns(const std::string& line) {
  return static_cast<int>(
      std::ranges::count_if(line, [](char c) { return (static_cast<int>(c) & 0xC0) != 0x80; }));
}

TEST(ComparisonOutput, TextStaysWithinAHundredColumnsAndJsonIsWhole) {
  ComparedCampaigns compared = some_comparison();
  const std::string words(500, 'x');
  ComparedBlock& block = compared.comparison.worst[0];
  block.block.text = words;
  block.block.bytes = Bytes(200, 0x90);
  block.a.cycles = block.b.cycles = 1e12;
  block.sources[0].corpus = words;
  compared.a.store = words;
  compared.a.campaign.environment.kernel = words;
  compared.comparison.by_corpus[many_umlauts(0)] = {};
  compared.comparison.by_corpus[many_umlauts(1)] = {};
  std::istringstream lines(to_text(compared));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(columns(line), 100) << line;
    EXPECT_NO_THROW(nlohmann::json(line).dump()) << "cut within a character";
  }
  const auto json = to_json(compared);
  EXPECT_EQ(json["worst"][0]["text"], words);
  EXPECT_EQ(json["worst"][0]["hex"].get<std::string>().size(), 400U);
}

}  // namespace
}  // namespace assay
