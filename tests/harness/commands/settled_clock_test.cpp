#include "harness/commands/settled_clock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/error_of.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::vector<EventRequest> kEvents = {{.name = "r01c0", .specification = "r01c0"}};

TEST(SettledClock, AClockThatCountsEventsTakesThem) {
  EXPECT_NO_THROW(check_events({"perf", {{"perf", {true, "", ""}}}}, kEvents));
  EXPECT_NO_THROW(check_events({"papi", {{"papi", {true, "", ""}}}}, kEvents));
  EXPECT_NO_THROW(check_events({"tsc", {{"tsc", {true, "", ""}}}}, {}));
}

TEST(SettledClock, EventsOfTheTscAreRefusedWithTheWayOut) {
  const ClockChoice chosen{"tsc", {{"tsc", {true, "", ""}}}};
  EXPECT_THAT(error_of<InputError>([&] { check_events(chosen, kEvents); }),
              AllOf(HasSubstr("tsc counts no events"), HasSubstr("--clock perf")));
}

TEST(SettledClock, EventsWhereOnlyTheTscWorksAreRefusedWithWhatIsWrongWithTheOthers) {
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
