#include "harness/options/worker_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/options/run_options.h"
#include "profiler/machine/processor.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using testing::HasSubstr;

CommandLine::Values parsed(const std::vector<std::string>& arguments) {
  CommandLine line("", "");
  add_worker_options(line);
  add_run_options(line);
  return line.parse(arguments).value();
}

std::vector<int> processors(const std::vector<std::string>& arguments) {
  return worker_processors(parsed(arguments));
}

std::string worker_complaint(const std::vector<std::string>& arguments) {
  return error_of<UsageError>([&] { processors(arguments); });
}

TEST(WorkerOptions, JobsAreOnTheLastProcessors) {
  const int last = allowed_processors().back();
  EXPECT_EQ(processors({"--jobs", "1"}), std::vector<int>{last});
  EXPECT_EQ(processors({}).front(), last);
  EXPECT_EQ(processors({"--jobs", "auto"}), processors({}));
}

TEST(WorkerOptions, ProcessorsByName) {
  const auto allowed = allowed_processors();
  const std::string first = std::to_string(allowed.front());
  EXPECT_EQ(processors({"--cpus", first}), std::vector<int>{allowed.front()});
  EXPECT_EQ(processors({"--cpu", first}), std::vector<int>{allowed.front()});
  if (allowed.size() < 2) GTEST_SKIP() << "one processor only";
  const std::string second = std::to_string(allowed[1]);
  EXPECT_EQ(processors({"--cpus", second + "," + first}),
            (std::vector<int>{allowed[1], allowed[0]}));
}

TEST(WorkerOptions, WhatCannotBeIsRefused) {
  const std::string first = std::to_string(allowed_processors().front());
  EXPECT_THAT(worker_complaint({"--jobs", "0"}), HasSubstr("at least 1"));
  EXPECT_THAT(worker_complaint({"--jobs", "many"}), HasSubstr("'many'"));
  EXPECT_THAT(worker_complaint({"--jobs", "100000"}),
              HasSubstr("--jobs 100000 is too many: processors that may be used here"));
  EXPECT_THAT(worker_complaint({"--cpus", first + "," + first}), HasSubstr("named twice"));
  EXPECT_THAT(worker_complaint({"--cpus", "99999"}),
              HasSubstr("processor 99999 may not be used here"));
  for (const std::string list : {"", ",", "a", "1 2"}) {
    EXPECT_THAT(worker_complaint({"--cpus", list}), HasSubstr("is no list")) << list;
  }
  EXPECT_THAT(worker_complaint({"--cpus", first, "--cpu", first}), HasSubstr("exclude each other"));
  EXPECT_THAT(worker_complaint({"--jobs", "1", "--cpu", first}), HasSubstr("exclude each other"));
}

TEST(WorkerOptions, TheStallLimitGrowsWithTheBudget) {
  using std::chrono::seconds;
  Settings settings;
  EXPECT_EQ(stall_limit(parsed({}), settings), seconds(60));
  settings.sampling_budget = seconds(60);
  EXPECT_EQ(stall_limit(parsed({}), settings), seconds(12'000));
  EXPECT_EQ(stall_limit(parsed({"--stall-limit", "5"}), settings), seconds(5));
  EXPECT_THROW(stall_limit(parsed({"--stall-limit", "0"}), settings), UsageError);
}

}  // namespace
}  // namespace assay
