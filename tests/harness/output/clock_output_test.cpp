#include "harness/output/clock_output.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/output/measurement_output.h"
#include "harness/output/profile_summary.h"

namespace assay {
namespace {

/// The choice that --clock auto makes on a machine without counters.
ClockChoice last_resort() {
  return {"tsc",
          {{"perf", {false, "not allowed", "allow it"}},
           {"papi", {false, "no library", ""}},
           {"tsc", {true, "", ""}}}};
}

constexpr const char* kClockJson =
    R"({"name":"tsc","reading":"rdtsc","tried":[)"
    R"({"name":"perf","works":false,"why":"not allowed","remedy":"allow it"},)"
    R"({"name":"papi","works":false,"why":"no library","remedy":""},)"
    R"({"name":"tsc","works":true,"why":"","remedy":""}]})";

TEST(ClockOutput, TellsWhichAndWhyNotABetterOneInEveryFormat) {
  MeasuredBlock block;
  block.clock_choice = last_resort();
  block.ratio = CyclesPerTick(1.5);
  EXPECT_EQ(to_json(block, {})["clock_choice"].dump(), kClockJson);
  const std::string text = to_text(block, {});
  EXPECT_EQ(text.substr(text.find("  clock")),
            "  clock    tsc, 1.5000 core cycles a tick\n"
            "           not perf: not allowed\n"
            "           not papi: no library\n");

  CampaignRequest request;
  request.clock_choice = last_resort();
  request.settings.clock = "tsc";
  EXPECT_EQ(to_json({}, request)["clock"], "tsc");
  EXPECT_EQ(to_json({}, request)["clock_choice"].dump(), kClockJson);
  const std::string summary = to_text({}, request);
  EXPECT_EQ(summary.substr(summary.find("clock")),
            "clock tsc\n  not perf: not allowed\n  not papi: no library\n");
}

TEST(ClockOutput, AClockOfCyclesHasNoRatioToTell) {
  MeasuredBlock block;
  block.clock_choice = {"perf", {{"perf", {true, "", ""}}}};
  block.ratio = CyclesPerTick(1);
  Settings settings;
  settings.clock = "perf";
  const std::string text = to_text(block, settings);
  EXPECT_EQ(text.substr(text.find("  clock")), "  clock    perf, which counts core cycles\n");
  EXPECT_EQ(to_json(block, settings)["core_cycles_per_tick"], 1);
}

TEST(ClockOutput, OneReasonIsToldOnce) {
  const ClockChoice choice = {"tsc",
                              {{"perf", {false, "no counters", ""}},
                               {"papi", {false, "event X: below PAPI, no counters", ""}},
                               {"tsc", {true, "", ""}}}};
  EXPECT_EQ(why_not_better(choice, ""), "not perf: no counters\nnot papi: as perf\n");
}

}  // namespace
}  // namespace assay
