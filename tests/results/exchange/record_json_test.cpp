#include "results/exchange/record_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/results/records.h"

namespace assay {
namespace {

TEST(RecordJson, AValueHasItsInterval) {
  const auto object = outcome_json({0x90}, "nop", measured(1), "assay", "tsc");
  EXPECT_EQ(object["hex"], "90");
  EXPECT_EQ(object["cycles"], 1.0);
  EXPECT_EQ(object["ci95"].dump(), "[0.99,1.01]");
  EXPECT_EQ(object["runs"], 400);
}

TEST(RecordJson, ABlockWithoutAValueTellsItsRuns) {
  Measurement unstable = without_number(Reason::kUnstable);
  unstable.timed = {.runs = 400, .dropped = 3};
  const auto object = outcome_json({0x90}, "nop", unstable, "assay", "tsc");
  EXPECT_TRUE(object["cycles"].is_null());
  EXPECT_TRUE(object["ci95"].is_null());
  EXPECT_EQ(object["runs"], 400);
  EXPECT_EQ(object["dropped"], 3);
}

TEST(RecordJson, ModesHaveTheirIntervals) {
  Measurement several = measured(1);
  EXPECT_EQ(outcome_json({0x90}, "nop", several, "assay", "tsc")["modes"].dump(), "[]");
  several.modes = some_modes();
  EXPECT_EQ(outcome_json({0x90}, "nop", several, "assay", "tsc")["modes"].dump(),
            R"([{"cycles":1.5,"ci95":[1.25,1.75],"visits":4,"share":0.5},)"
            R"({"cycles":1.25,"ci95":[1.25,1.25],"visits":2,"share":0.25}])");
}

TEST(RecordJson, PlacementsHaveTheirIntervals) {
  Measurement loop = measured(1);
  EXPECT_EQ(outcome_json({0x90}, "nop", loop, "assay", "tsc")["placements"].dump(), "[]");
  loop.placements = some_placements();
  EXPECT_EQ(outcome_json({0x90}, "nop", loop, "assay", "tsc")["placements"].dump(),
            R"([{"offset":8,"cycles":1.5,"ci95":[1.25,1.75]},)"
            R"({"offset":56,"cycles":1.75,"ci95":[1.75,1.75]}])");
}

TEST(RecordJson, ASourceMayHaveNoFrequency) {
  EXPECT_EQ(to_json(SourceRecord{"a", 7, 0.25, "sort/3", "libc"}).dump(),
            R"({"corpus":"a","line":7,"frequency":0.25,"name":"sort/3","source":"libc"})");
  EXPECT_EQ(to_json(some_source("a", 7)).dump(),
            R"({"corpus":"a","line":7,"frequency":null,"name":"","source":""})");
}

TEST(RecordJson, ACampaignTellsWhatItIsOf) {
  const Campaign campaign = some_campaign_data();
  EXPECT_EQ(to_json(campaign).dump(),
            R"({"id":3,"started_at":"2024-05-17T08:30:00Z","program":"0.1.0","machine":)"
            R"({"vendor":"AuthenticAMD","brand":"AMD EPYC","family":25,"model":17,"stepping":1,)"
            R"("microarchitecture":"zen4"},"environment":{"kernel":"Linux 6.1.0",)"
            R"("microcode":"0xa101148","hypervisor":"KVMKVMKVM","governor":"none","smt":"on",)"
            R"("cores":2,"walls":"system-call filter, no vDSO"}})");
}

}  // namespace
}  // namespace assay
