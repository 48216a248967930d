#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/harness/process.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

TEST(SuiteInstructionsCli, WritesBlocksWithNamesAndStates) {
  const Finished done =
      run_assay({"suite", "instructions", "--filter", "DIV r64", "--kind", "latency"});
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("1 form, "));
  const auto lines = lines_of(done.out);
  ASSERT_GT(lines.size(), 2U);
  EXPECT_EQ(json::parse(lines[0])["filter"], "DIV r64");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const json block = json::parse(lines[i]);
    EXPECT_THAT(block["name"].get<std::string>(), StartsWith("DIV r64; latency "));
    EXPECT_THAT(block["state"].get<std::string>(), StartsWith("distinct rax=0x40 rdx=0x0"));
  }
}

TEST(SuiteInstructionsCli, ListsFormsAndWhatIsLeftOut) {
  const Finished list =
      run_assay({"suite", "instructions", "--filter", "POPCNT r64, r64", "--list", "--json"});
  ASSERT_EQ(list.status, 0) << list.err;
  EXPECT_EQ(json::parse(list.out),
            (json{{"form", "POPCNT r64, r64"}, {"isa_set", "POPCNT"}, {"blocks", 3}}));
  const Finished skipped = run_assay({"suite", "instructions", "--filter", "SYSCALL", "--skipped"});
  ASSERT_EQ(skipped.status, 0) << skipped.err;
  EXPECT_THAT(skipped.out, StartsWith("SYSCALL\tsystem_call\t"));
  EXPECT_THAT(skipped.err, HasSubstr("left out: 1 system_call"));
}

TEST(SuiteInstructionsCli, SaysWhatIsWrong) {
  EXPECT_EQ(run_assay({"suite", "instructions", "--kind", "speed"}).status, 2);
  EXPECT_EQ(run_assay({"suite", "instructions", "--list", "--skipped"}).status, 2);
  EXPECT_EQ(run_assay({"suite", "instructions", "--json"}).status, 2);
  const Finished none = run_assay({"suite", "instructions", "--filter", "NOSUCH*"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("no instruction form fits the filter \"NOSUCH*\""));
  // The form exists, but it has no blocks.
  EXPECT_EQ(run_assay({"suite", "instructions", "--filter", "SYSCALL"}).status, 1);
}

TEST(SuiteRandomCli, WritesTheSameBlocksForTheSameSeed) {
  const std::vector<std::string> arguments = {"suite", "random",   "--seed", "7",        "--count",
                                              "5",     "--length", "2..4",   "--filter", "ADD*"};
  const Finished once = run_assay(arguments);
  ASSERT_EQ(once.status, 0) << once.err;
  EXPECT_EQ(once.out, run_assay(arguments).out);
  const auto lines = lines_of(once.out);
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(json::parse(lines[0])["seed"], "7");
  EXPECT_EQ(json::parse(lines[5])["name"], "random 7/4");
}

TEST(SuiteRandomCli, SaysWhatIsWrong) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--count", "3"},
      {"--seed", "1"},
      {"--seed", "x", "--count", "3"},
      {"--seed", "1", "--count", "0"},
      {"--seed", "1", "--count", "3", "--length", "5..2"},
      {"--seed", "1", "--count", "3", "--length", "0"},
      {"--seed", "1", "--count", "3", "--memory", "all"},
      {"--seed", "1", "--count", "3", "--aliasing", "maybe"},
      {"--seed", "1", "--count", "3", "--format", "csv"},
      {"--seed", "1", "--count", "3", "--filter", "SYSCALL"},
  };
  for (std::vector<std::string> arguments : wrong) {
    arguments.insert(arguments.begin(), {"suite", "random"});
    const Finished done = run_assay(arguments);
    EXPECT_EQ(done.status, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(done.err, StartsWith("assay suite random: "));
  }
}

}  // namespace
}  // namespace assay
