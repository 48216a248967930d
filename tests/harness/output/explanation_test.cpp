#include "harness/output/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <variant>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The block mov rax, qword ptr [rbx]; add qword ptr [rcx], rax.
const Block& load_and_store() {
  static const Block block = std::get<Block>(decode({0x48, 0x8b, 0x03, 0x48, 0x01, 0x01}));
  return block;
}

TracedAccess load(std::int64_t copy, std::uint64_t address) {
  return {
      .copy = copy, .instruction = 0, .address = address, .size = 8, .element = 8, .read = true};
}

/// An attempt with so many series at a block whose load crosses a line in both of its two traced
/// copies.
Attempt some_attempt(int series) {
  Attempt attempt;
  attempt.measurement.initial_state = "distinct";
  attempt.prepared.plan = {
      Notion::kUnrolled, Copies(1), {Iterations(64), Iterations(128), Iterations(256)}};
  std::vector<TracedAccess>& accesses = attempt.prepared.trace.accesses;
  accesses = {load(0, 0x123403c)};
  accesses.push_back({.copy = 0,
                      .instruction = 1,
                      .address = 0x7fff'1234'0000,
                      .size = 8,
                      .element = 8,
                      .read = true,
                      .write = true});
  accesses.push_back(load(1, 0x123403c));
  attempt.findings.traits = {Trait::kSplitLine};
  attempt.findings.findings = {{Trait::kSplitLine, 0, accesses[0], {}}};
  attempt.stamps = 5;
  for (int i = 0; i < series; ++i) {
    attempt.series.push_back({.fate = i == 0 ? SeriesFate::kDisturbed : SeriesFate::kTaken,
                              .alignment = 2,
                              .place = 5,
                              .cycles = 1.25,
                              .first_cycles = 1.5,
                              .cycles_per_nop = 0.25,
                              .ratio = CyclesPerReading(0.3),
                              .kept = 100 + i,
                              .dropped = 3,
                              .retried = 2});
  }
  attempt.measurement.outcome.reason = Reason::kUnstable;
  attempt.measurement.outcome.detail = "+- 0.5 cycles";
  return attempt;
}

std::string explained(const Attempt& attempt) {
  return explain({&attempt, 1}, load_and_store(), {});
}

/// The number of rows in the table of series.
std::ptrdiff_t rows(const std::string& text) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(" 1.2500 "); at != std::string::npos;
       at = text.find(" 1.2500 ", at + 1)) {
    ++count;
  }
  return count;
}

TEST(Explanation, TellsWhatTheFirstCopyAccessed) {
  const std::string text = explained(some_attempt(1));
  EXPECT_THAT(text, testing::ContainsRegex(
                        "mov rax, qword ptr .rbx. +0x123403c +8 bytes  read\n"
                        " +add qword ptr .rcx., rax +0x7fff12340000 +8 bytes  read, write\n"));
  EXPECT_EQ(text.find("bytes  read\n"), text.rfind("bytes  read\n")) << "and no more copies";
  EXPECT_THAT(text, testing::ContainsRegex("split_line +in copy 1 at offset 0 .mov rax"));
  EXPECT_THAT(text, HasSubstr("across the end of a cache line\n"));
  EXPECT_THAT(text, HasSubstr("unstable: +- 0.5 cycles\n"));
}

TEST(Explanation, CutsALongTableInItsMiddle) {
  EXPECT_EQ(rows(explained(some_attempt(16))), 16);
  EXPECT_THAT(explained(some_attempt(16)), Not(HasSubstr("more")));
  const std::string text = explained(some_attempt(30));
  EXPECT_EQ(rows(text), 16);
  EXPECT_THAT(text, HasSubstr("... 14 more\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\n +12 +5 +1.2500.*\n.*more\n +27 +5 +1.2500"));
}

TEST(Explanation, JsonHasAllOfAnAttempt) {
  Attempt attempt = some_attempt(30);
  attempt.evaluation = Evaluation{
      .estimate = {},
      .timed = {},
      .steadiness = Steadiness{.first_cycles = 1.5, .further_cycles = 1.125, .half_width = 0.5},
      .ratio = {},
      .slowdown = 0.25};
  attempt.floor = 0.5;
  const auto json = attempts_json({&attempt, 1}, load_and_store());
  ASSERT_EQ(json.size(), 1U);
  const auto& first = json[0];
  EXPECT_EQ(first["initial_state"], "distinct");
  EXPECT_EQ(first["sizes"].dump(), "[64,128,256]");
  EXPECT_EQ(first["body_copies"], 1);
  EXPECT_EQ(first["series"].size(), 30U);
  EXPECT_EQ(first["series"][0].dump(),
            R"({"place":5,"fate":"disturbed","cycles":1.25,"first":1.5,"canary":0.25,)"
            R"("ratio":1.5,"runs":100,"dropped":3,"anew":2})");
  EXPECT_EQ(first["steadiness"].dump(), R"({"first":1.5,"further":1.125,"half_width":0.5})");
  EXPECT_EQ(first["slowdown"], 0.25);
  EXPECT_EQ(first["floor"], 0.5);
  ASSERT_EQ(first["accesses"].size(), 3U);
  EXPECT_EQ(first["accesses"][1].dump(),
            R"({"copy":0,"instruction":1,"address":"0x7fff12340000","size":8,"read":true,)"
            R"("write":true})");
  ASSERT_EQ(first["findings"].size(), 1U);
  EXPECT_EQ(first["findings"][0]["trait"], "split_line");
  EXPECT_THAT(first["findings"][0]["text"].get<std::string>(), HasSubstr("in copy 1"));
  EXPECT_EQ(first["reason"], "unstable");
  EXPECT_EQ(first["detail"], "+- 0.5 cycles");
}

TEST(Explanation, JsonHasNullForWhatIsNotKnown) {
  const Attempt attempt;
  const auto json = attempts_json({&attempt, 1}, load_and_store());
  EXPECT_TRUE(json[0]["steadiness"].is_null());
  EXPECT_TRUE(json[0]["slowdown"].is_null());
  EXPECT_TRUE(json[0]["floor"].is_null());
  EXPECT_EQ(json[0]["series"].dump(), "[]");
}

}  // namespace
}  // namespace assay
