#include "profiler/measurement/settings.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

namespace assay {
namespace {

TEST(SettingsTest, AreOneLineOfJsonInAFixedOrder) {
  Settings settings;
  settings.revision = 41;
  settings.target_instructions = 300;
  settings.reject = {Trait::kSplitPage, Trait::kX87Stack};
  settings.events = {{.name = "uops", .specification = "r01c0", .alone = true}};
  settings.validation = false;
  settings.page_limit = 64;
  settings.time_limit = std::chrono::milliseconds(200);
  settings.target_relative = 0.25;
  settings.target_cycles = 0.125;
  settings.accept_relative = 0.5;
  settings.accept_cycles = 0.75;
  settings.sampling_budget = std::chrono::milliseconds(30);
  settings.series_slowdown = 0.375;
  settings.accept_slowdown = 0.625;
  settings.visit_patience = std::chrono::milliseconds(4000);
  EXPECT_EQ(
      to_json(settings),
      R"({"revision":41,"protocol":"assay",)"
      R"("nanobench":{"unroll":1000,"loop":0,"warm_up":5,"runs":10,"aggregate":"avg"},)"
      R"("clock":"tsc","clock_reading":"rdtsc","events":[{"name":"uops","specification":"r01c0","alone":true}],)"
      R"("validation":false,"initial_state":"distinct",)"
      R"("registers":{},"memory_word":null,"init_code":"","frames":null,"fallback_states":true,)"
      R"("target_instructions":300,"loop_min_instructions":1,"loop_end":"auto",)"
      R"("loop_alignment":0,"reject":"split_page,x87_stack",)"
      R"("page_limit":64,"time_limit_ms":200,"target_relative":0.25,"target_cycles":0.125,)"
      R"("accept_relative":0.5,"accept_cycles":0.75,"sampling_budget_ms":30,)"
      R"("series_slowdown":0.375,"accept_slowdown":0.625,"visit_patience_ms":4000})");
}

TEST(SettingsTest, EveryFieldChangesTheText) {
  Settings settings;
  std::set<std::string> texts{to_json(settings)};
  const auto is_new = [&] { return texts.insert(to_json(settings)).second; };
  ++settings.revision;
  EXPECT_TRUE(is_new());
  settings.protocol = "bhive";
  EXPECT_TRUE(is_new());
  settings.nanobench.unroll = 7;
  EXPECT_TRUE(is_new());
  settings.nanobench.loop = 8;
  EXPECT_TRUE(is_new());
  settings.nanobench.warm_up = 9;
  EXPECT_TRUE(is_new());
  settings.nanobench.runs = 11;
  EXPECT_TRUE(is_new());
  settings.nanobench.aggregate = Aggregate::kMinimum;
  EXPECT_TRUE(is_new());
  settings.loop_min_instructions = 5;
  EXPECT_TRUE(is_new());
  settings.clock = "perf";
  EXPECT_TRUE(is_new());
  settings.clock_reading = "rdpmc";
  EXPECT_TRUE(is_new());
  settings.events = {{.name = "a", .specification = "r01c0"}};
  EXPECT_TRUE(is_new());
  settings.events[0].name = "b";
  EXPECT_TRUE(is_new());
  settings.events[0].specification = "r02c0";
  EXPECT_TRUE(is_new());
  settings.events[0].alone = true;
  EXPECT_TRUE(is_new());
  settings.events.push_back({.name = "c", .specification = "r03c0"});
  EXPECT_TRUE(is_new());
  std::swap(settings.events[0], settings.events[1]);
  EXPECT_TRUE(is_new());
  settings.validation = false;
  EXPECT_TRUE(is_new());
  settings.initial_state = "zero";
  EXPECT_TRUE(is_new());
  settings.state_overrides.registers = {{GeneralRegister::kRcx, 1}};
  EXPECT_TRUE(is_new());
  settings.state_overrides.memory_word = 0;
  EXPECT_TRUE(is_new());
  settings.state_overrides.code = {0x90};
  EXPECT_TRUE(is_new());
  settings.state_overrides.frames = 1;
  EXPECT_TRUE(is_new());
  settings.fallback_states = false;
  EXPECT_TRUE(is_new());
  settings.target_instructions = 100;
  EXPECT_TRUE(is_new());
  settings.reject = {};
  EXPECT_TRUE(is_new());
  settings.page_limit = 1;
  EXPECT_TRUE(is_new());
  settings.time_limit = std::chrono::milliseconds(7);
  EXPECT_TRUE(is_new());
  settings.target_relative = 0.001;
  EXPECT_TRUE(is_new());
  settings.target_cycles = 0.002;
  EXPECT_TRUE(is_new());
  settings.accept_relative = 0.03;
  EXPECT_TRUE(is_new());
  settings.accept_cycles = 0.04;
  EXPECT_TRUE(is_new());
  settings.sampling_budget = std::chrono::milliseconds(9);
  EXPECT_TRUE(is_new());
  settings.series_slowdown = 0.2;
  EXPECT_TRUE(is_new());
  settings.accept_slowdown = 0.3;
  EXPECT_TRUE(is_new());
  settings.visit_patience = std::chrono::milliseconds(1);
  EXPECT_TRUE(is_new());
}

TEST(SettingsTest, RegistersThatComeToTheSameAreTheSameText) {
  using enum GeneralRegister;
  Settings settings;
  settings.state_overrides.registers = {{kR15, 3}, {kRcx, 1}, {kRcx, ~0ULL}};
  const std::string text = to_json(settings);
  EXPECT_EQ(nlohmann::ordered_json::parse(text)["registers"].dump(),
            R"({"rcx":18446744073709551615,"r15":3})");
  settings.state_overrides.registers = {{kRcx, ~0ULL}, {kR15, 3}};
  EXPECT_EQ(to_json(settings), text);
}

TEST(SettingsTest, KeepTheLastBitOfANumberAndQuoteText) {
  Settings settings;
  settings.target_cycles = 0.1 + 0.2;
  settings.clock = "a \"b\"\n";
  const auto json = nlohmann::json::parse(to_json(settings));
  EXPECT_EQ(json["target_cycles"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(json["clock"], "a \"b\"\n");
  EXPECT_EQ(to_json(settings).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace assay
