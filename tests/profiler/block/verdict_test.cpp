#include "profiler/block/verdict.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

namespace assay {
namespace {

TEST(Verdict, EveryReasonHasANameOfItsOwnAndIsFoundByIt) {
  std::set<std::string_view> names;
  for (const ReasonInfo& reason : all_reasons()) {
    EXPECT_TRUE(names.insert(reason.name).second) << reason.name;
    EXPECT_EQ(named<Reason>(reason.name), reason.reason);
    EXPECT_EQ(name(reason.reason), reason.name);
    EXPECT_EQ(&info(reason.reason), &reason);
  }
  EXPECT_EQ(names.size(), all_reasons().size());
}

TEST(Verdict, NamesAreLowerSnakeCaseAndSentencesEnd) {
  for (const ReasonInfo& reason : all_reasons()) {
    EXPECT_TRUE(std::ranges::all_of(reason.name, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    })) << reason.name;
    EXPECT_EQ(reason.sentence.back(), '.') << reason.name;
  }
}

TEST(Verdict, OnlyNoReasonGoesWithMeasured) {
  for (const ReasonInfo& reason : all_reasons()) {
    EXPECT_EQ(reason.verdict == Verdict::kMeasured, reason.reason == Reason::kNone);
  }
}

TEST(Verdict, SomeReasonsMayBeTheMoments) {
  for (const Reason reason : {Reason::kUnstable, Reason::kNoSteadyState, Reason::kInterference,
                              Reason::kBelowLimit, Reason::kNoSingleState, Reason::kHarnessFault}) {
    EXPECT_TRUE(may_pass(reason)) << name(reason);
  }
  for (const Reason reason : {Reason::kNone, Reason::kControlFlow, Reason::kSplitPage,
                              Reason::kNullPage, Reason::kClockTooCoarse}) {
    EXPECT_FALSE(may_pass(reason)) << name(reason);
  }
}

TEST(Verdict, VerdictsAreFoundByName) {
  for (const Verdict verdict : {Verdict::kMeasured, Verdict::kRejected, Verdict::kFailed}) {
    EXPECT_EQ(named<Verdict>(name(verdict)), verdict);
  }
}

TEST(Verdict, OtherNamesAreNotFound) {
  EXPECT_EQ(named<Reason>("no_such_reason"), std::nullopt);
  EXPECT_EQ(named<Reason>(""), std::nullopt);
  EXPECT_EQ(named<Verdict>("Measured"), std::nullopt);
}

TEST(Verdict, TheDocumentationHasEveryReasonWithItsSentence) {
  std::ifstream file(ASSAY_SOURCE_FOLDER "/docs/verdicts.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(text.empty());
  for (const ReasonInfo& reason : all_reasons()) {
    if (reason.verdict != Verdict::kRejected && reason.verdict != Verdict::kFailed) continue;
    const std::string row = fmt::format("| `{}` | {} |", reason.name, reason.sentence);
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
}

TEST(Outcome, HasTheVerdictOfItsReason) {
  EXPECT_EQ((Outcome{Reason::kPageLimit, "of all things"}).verdict(), Verdict::kRejected);
  EXPECT_EQ((Outcome{Reason::kTrap, ""}).verdict(), Verdict::kFailed);
  EXPECT_TRUE((Outcome{Reason::kNone, ""}).measured());
}

TEST(Outcome, IsUnfinishedUntilSomethingHappened) {
  EXPECT_EQ(Outcome{}.verdict(), Verdict::kUnfinished);
  EXPECT_FALSE(Outcome{}.measured());
}

}  // namespace
}  // namespace assay
