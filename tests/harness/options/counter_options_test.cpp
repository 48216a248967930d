#include "harness/options/counter_options.h"
#include "tests/error_of.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

const std::vector<EventRequest> kEvents = {{.name = "r01c0", .specification = "r01c0"}};

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

TEST(CounterOptionsTest, AClockThatCountsEventsTakesThem) {
  EXPECT_NO_THROW(check_events({"perf", {{"perf", {true, "", ""}}}}, kEvents));
  EXPECT_NO_THROW(check_events({"papi", {{"papi", {true, "", ""}}}}, kEvents));
  EXPECT_NO_THROW(check_events({"tsc", {{"tsc", {true, "", ""}}}}, {}));
}

TEST(CounterOptionsTest, EventsOfTheTscAreRefusedWithTheWayOut) {
  const ClockChoice chosen{"tsc", {{"tsc", {true, "", ""}}}};
  EXPECT_THAT(error_of<InputError>([&] { check_events(chosen, kEvents); }),
              AllOf(HasSubstr("tsc counts no events"), HasSubstr("--clock perf")));
}

TEST(CounterOptionsTest, EventsWhereOnlyTheTscWorksAreRefusedWithWhatIsWrongWithTheOthers) {
  const ClockChoice last_resort{"tsc",
                                {{"perf", {false, "not allowed", "allow it"}},
                                 {"papi", {false, "no library", ""}},
                                 {"tsc", {true, "", ""}}}};
  EXPECT_THAT(error_of<EnvironmentError>([&] { check_events(last_resort, kEvents); }),
              AllOf(HasSubstr("\n  perf: not allowed; allow it\n  papi: no library"),
                    HasSubstr("leave --events out"), Not(HasSubstr("--clock perf"))));
}

}  // namespace
}  // namespace assay
