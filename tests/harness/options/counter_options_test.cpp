#include "harness/options/counter_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiler/counters/backend.h"
#include "tests/error_of.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CommandLine::Values counter_values(const std::vector<std::string>& arguments) {
  CommandLine line("test", "test");
  add_counter_options(line);
  return line.parse(arguments).value();
}

Settings counter_settings_of(const std::vector<std::string>& arguments) {
  Settings settings;
  read_counter_options(counter_values(arguments), settings);
  return settings;
}

TEST(CounterOptionsTest, WithoutAnyTheSettingsAreTheDefaults) {
  EXPECT_EQ(to_json(counter_settings_of({})), to_json(Settings{}));
  EXPECT_EQ(wanted_clock(counter_values({})), "auto");
}

TEST(CounterOptionsTest, ValidationIsOnOrOff) {
  EXPECT_FALSE(counter_settings_of({"--validation", "off"}).validation);
  EXPECT_TRUE(counter_settings_of({"--validation", "on"}).validation);
  EXPECT_THAT(error_of<UsageError>([] {
                counter_settings_of({"--validation", "no"});
              }),
              HasSubstr("'no'"));
}

TEST(CounterOptionsTest, EventsGoIntoTheSettingsInTheirOrder) {
  const Settings settings = counter_settings_of({"--events", "r02c0,r01c0"});
  ASSERT_EQ(settings.events.size(), 2U);
  EXPECT_EQ(settings.events[0].specification, "r02c0");
  EXPECT_EQ(settings.events[1].specification, "r01c0");
}

TEST(CounterOptionsTest, AClockIsAutoOrABackend) {
  for (const std::string_view name : backend_names()) {
    EXPECT_EQ(wanted_clock(counter_values({"--clock", std::string(name)})), name);
  }
  EXPECT_THAT(error_of<UsageError>([] {
                wanted_clock(counter_values({"--clock", "sundial"}));
              }),
              AllOf(HasSubstr("'sundial'"), HasSubstr("auto, perf, papi, tsc, module")));
}

}  // namespace
}  // namespace assay
