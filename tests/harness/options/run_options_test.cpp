#include "harness/options/run_options.h"
#include "tests/error_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

CommandLine::Values run_values(const std::vector<std::string>& arguments) {
  CommandLine line("test", "test");
  add_run_options(line);
  add_notion_option(line);
  return line.parse(arguments).value();
}

Settings run_settings_of(const std::vector<std::string>& arguments) {
  return run_settings(run_values(arguments));
}

std::vector<Notion> notions_of(const std::vector<std::string>& arguments) {
  return run_notions(run_values(arguments));
}

/// The message of the usage error that an option raises; empty if it raises none.
std::string run_complaint(const std::vector<std::string>& arguments) {
  return error_of<UsageError>([&] {
    run_settings_of(arguments);
    notions_of(arguments);
  });
}

TEST(RunOptionsTest, WithoutAnyTheSettingsAreTheDefaults) {
  EXPECT_EQ(to_json(run_settings_of({})), to_json(Settings{}));
  EXPECT_THAT(notions_of({}), ElementsAre(Notion::kUnrolled));
}

TEST(RunOptionsTest, OnlyAssayEndsAndPlacesLoopsAsAsked) {
  EXPECT_EQ(run_complaint({"--loop-end", "own", "--align", "8"}), "");
  for (const std::string protocol : {"nanobench", "uica", "bhive"}) {
    EXPECT_EQ(run_complaint({"--protocol", protocol}), "");
    EXPECT_THAT(run_complaint({"--protocol", protocol, "--loop-end", "own"}),
                HasSubstr("--loop-end is an option of --protocol assay"));
    EXPECT_THAT(run_complaint({"--protocol", protocol, "--align", "8"}),
                HasSubstr("--align is an option of --protocol assay"));
  }
}

TEST(RunOptionsTest, OneNotionOrBoth) {
  EXPECT_THAT(notions_of({"--notion", "looped"}), ElementsAre(Notion::kLooped));
  EXPECT_THAT(notions_of({"--notion", "both"}), ElementsAre(Notion::kUnrolled, Notion::kLooped));
  EXPECT_THAT(run_complaint({"--notion", "rolled"}),
              AllOf(HasSubstr("'rolled'"), HasSubstr("unrolled, looped, both")));
}

TEST(RunOptionsTest, ALoopHasOneToAHundredInstructions) {
  EXPECT_EQ(run_settings_of({"--loop-min-instructions", "5"}).loop_min_instructions, 5);
  EXPECT_EQ(run_settings_of({"--loop-min-instructions", "100"}).loop_min_instructions, 100);
  for (const char* value : {"0", "101"}) {
    EXPECT_THAT(run_complaint({"--loop-min-instructions", value}), HasSubstr("from 1 to 100"))
        << value;
  }
}

TEST(RunOptionsTest, SaysWhatANumberHasToBe) {
  EXPECT_THAT(run_complaint({"--budget", "0.5"}),
              AllOf(HasSubstr("'0.5'"), HasSubstr("--budget"), HasSubstr("a whole number")));
  EXPECT_THAT(run_complaint({"--budget", "0"}), HasSubstr("from 1 to 60000, not 0"));
}

TEST(RunOptionsTest, TraitsToRejectInPlaceOfTheDefaultOnes) {
  EXPECT_EQ(run_settings_of({"--reject", "subnormal,split_line"}).reject,
            (Traits{Trait::kSplitLine, Trait::kSubnormal}));
  EXPECT_EQ(run_settings_of({"--reject", "none"}).reject, Traits{});
}

TEST(RunOptionsTest, WhatIsRejectedIsTheProtocolsChoiceUnlessGiven) {
  EXPECT_TRUE(run_settings_of({"--protocol", "bhive"}).reject.has(Trait::kSplitLine));
  EXPECT_EQ(run_settings_of({"--protocol", "bhive", "--reject", "none"}).reject, Traits{});
}

TEST(RunOptionsTest, ALoopOfNanobenchNeedsTheNotion) {
  const auto complains = [](const std::string& notion) {
    return run_complaint({"--protocol", "nanobench", "--loop", "5", "--notion", notion});
  };
  EXPECT_EQ(complains("looped"), "");
  EXPECT_EQ(complains("both"), "");
  EXPECT_THAT(complains("unrolled"), HasSubstr("--notion looped"));
}

TEST(RunOptionsTest, NamesTheTraitsInPlaceOfWhatIsNone) {
  for (const std::string list : {"", "split", "split_line,", ",split_line", "split_line,none",
                                 "split_line subnormal", "Subnormal"}) {
    EXPECT_THAT(run_complaint({"--reject", list}),
                AllOf(HasSubstr("'" + list + "'"), HasSubstr("split_page, cache_reach")))
        << list;
  }
}

}  // namespace
}  // namespace assay
