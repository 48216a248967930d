#include "results/findings/campaign_difference.h"

#include <gmock/gmock.h>

#include "profiler/support/error.h"
#include "tests/results/records.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Campaign with_settings(const std::string& settings) {
  return {.id = CampaignId{1},
          .machine = some_machine(),
          .environment = some_environment(),
          .program_version = "0.1.0",
          .settings = settings,
          .protocol = "assay",
          .clock = "tsc",
          .started_at = "2024-05-17T08:30:00Z"};
}

std::vector<std::string> told(const Campaign& a, const Campaign& b) {
  std::vector<std::string> all;
  for (const auto& [name, in_a, in_b] : differences(a, b)) {
    all.push_back(name + ": " + in_a + " | " + in_b);
  }
  return all;
}

TEST(CampaignDifference, IsNoneBetweenTwoStoresOfOneCampaign) {
  Campaign later = with_settings(to_json(Settings{}));
  later.id = CampaignId{2};
  later.started_at = "2024-05-18T08:30:00Z";
  EXPECT_THAT(told(with_settings(to_json(Settings{})), later), IsEmpty());
}

TEST(CampaignDifference, NamesWhatOfTheMachineAndItsSurroundingsDiffers) {
  Campaign other = with_settings("{}");
  other.machine.microarchitecture = "zen5";
  other.machine.model = 18;
  other.environment.kernel = "Linux 6.2.0";
  other.environment.walls = "none";
  other.program_version = "0.2.0";
  EXPECT_THAT(told(with_settings("{}"), other),
              ElementsAre("microarchitecture: zen4 | zen5", "model: 17 | 18",
                          "kernel: Linux 6.1.0 | Linux 6.2.0",
                          "walls: system-call filter, no vDSO | none", "program: 0.1.0 | 0.2.0"));
}

TEST(CampaignDifference, NamesEverySettingThatDiffers) {
  Settings settings;
  settings.page_limit = 64;
  settings.nanobench.unroll = 8;
  settings.protocol = "uica";
  EXPECT_THAT(told(with_settings(to_json(Settings{})), with_settings(to_json(settings))),
              ElementsAre("settings.nanobench.unroll: 1000 | 8", "settings.page_limit: 128 | 64",
                          "settings.protocol: assay | uica"));
}

TEST(CampaignDifference, ASettingThatAnOlderAssayHadNotIsAbsent) {
  EXPECT_THAT(told(with_settings(R"({"a":1})"), with_settings(R"({"a":1,"b":{"c":[]}})")),
              ElementsAre(R"(settings.b: absent | {"c":[]})"));
}

TEST(CampaignDifference, DamagedSettingsAreTold) {
  EXPECT_THROW(told(with_settings("{"), with_settings("{}")), InputError);
}

}  // namespace
}  // namespace assay
