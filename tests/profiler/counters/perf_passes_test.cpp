#include "profiler/counters/perf_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "profiler/support/error.h"
#include "tests/profiler/counters/made_up_root.h"
#include "tests/profiler/counters/simulated_perf.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const Event kCycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false};

Event hardware(const std::string& name, std::uint64_t code) {
  return {name, PERF_TYPE_RAW, code, 0, 0, false};
}

/// Hardware events "a", "b", ... with codes from 1.
std::vector<Event> hardware_events(int number) {
  std::vector<Event> events;
  for (int i = 0; i < number; ++i) {
    events.push_back(hardware(std::string(1, static_cast<char>('a' + i)), 1U + i));
  }
  return events;
}

class PerfPasses : public testing::Test {
 protected:
  /// The names of the events of each pass, joined, without the cycles, with which each pass must
  /// begin.
  std::vector<std::string> find(const std::vector<Event>& events) {
    std::vector<std::string> passes;
    for (const PerfPass& pass : find_perf_passes(system_, kCycles, events, limits_, root_.path())) {
      EXPECT_EQ(pass.front().name, "cycles");
      passes.emplace_back();
      for (std::size_t i = 1; i < pass.size(); ++i) passes.back() += pass[i].name;
    }
    return passes;
  }

  SimulatedPerf system_;
  PassLimits limits_;
  MadeUpRoot root_{{"proc/sys/kernel/nmi_watchdog", "1\n"}};
};

TEST_F(PerfPasses, TakeAsManyAsTheKernelOpens) {
  system_.counters = 4;
  EXPECT_THAT(find(hardware_events(8)), ElementsAre("abc", "def", "gh"));
  EXPECT_THAT(find({}), ElementsAre());
}

TEST_F(PerfPasses, TakeOnlyAsManyAsReallyCount) {
  system_.counters = 6;
  system_.held = 2;
  EXPECT_THAT(find(hardware_events(8)), ElementsAre("abc", "def", "gh"));
}

TEST_F(PerfPasses, KeepToTheirLimit) {
  system_.counters = 20;
  limits_.pass = 3;
  EXPECT_THAT(find(hardware_events(5)), ElementsAre("ab", "cd", "e"));
}

TEST_F(PerfPasses, HaveRoomForTheKernelsOwnEvents) {
  system_.counters = 2;
  std::vector<Event> events = hardware_events(1);
  events.push_back({"F", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false});
  events.push_back({"T", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, 0, false});
  events.push_back(hardware("b", 2));
  EXPECT_THAT(find(events), ElementsAre("aFT", "b"));
}

TEST_F(PerfPasses, LeaveAloneWhatWantsToBe) {
  std::vector<Event> events = hardware_events(5);
  events[2].alone = true;
  EXPECT_THAT(find(events), ElementsAre("ab", "c", "de"));
}

TEST_F(PerfPasses, NameAnEventThatTheKernelDoesNotCount) {
  system_.event_errors[{PERF_TYPE_RAW, 3}] = EINVAL;
  EXPECT_THAT([&] { find(hardware_events(5)); },
              ThrowsMessage<InputError>(AllOf(HasSubstr("event \"c\""), HasSubstr("(EINVAL)"))));
}

TEST_F(PerfPasses, SayWhatIsMissingWhenOneMayNotBeCounted) {
  system_.event_errors[{PERF_TYPE_RAW, 2}] = EACCES;
  root_.set("proc/sys/kernel/perf_event_paranoid", "4");
  EXPECT_THAT([&] { find(hardware_events(5)); },
              ThrowsMessage<EnvironmentError>(
                  AllOf(HasSubstr("event \"b\""), HasSubstr("sysctl kernel.perf_event_paranoid"))));
}

TEST_F(PerfPasses, SayWhoMayHoldTheCounters) {
  system_.counters = 4;
  system_.held = 3;
  EXPECT_THAT([&] { find(hardware_events(1)); },
              ThrowsMessage<EnvironmentError>(
                  AllOf(HasSubstr("event \"a\""), HasSubstr("nmi_watchdog=0"))));
}

TEST_F(PerfPasses, DoNotTakeALackOfDescriptorsForALackOfCounters) {
  system_.descriptor_limit = 4;
  EXPECT_THAT([&] { find(hardware_events(5)); },
              ThrowsMessage<EnvironmentError>(HasSubstr("ulimit -n")));
}

TEST_F(PerfPasses, AreNotMoreThanCanBePassedOn) {
  system_.counters = 2;
  limits_.all = 9;  // enough for the clock and four passes of two events
  EXPECT_THAT(find(hardware_events(4)), testing::SizeIs(4));
  limits_.all = 10;
  EXPECT_THAT([&] { find(hardware_events(5)); }, ThrowsMessage<InputError>(HasSubstr("too many")));
}

}  // namespace
}  // namespace assay
