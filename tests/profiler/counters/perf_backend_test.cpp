#include "profiler/counters/perf_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "profiler/counters/perf_trial.h"
#include "profiler/support/error.h"
#include "tests/profiler/counters/made_up_root.h"
#include "tests/profiler/counters/simulated_perf.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::ThrowsMessage;

EventRequest request(const std::string& code, bool alone = false) { return {code, code, alone}; }

class SimulatedBackend : public testing::Test {
 protected:
  static constexpr pid_t kProcess = 4321;

  MadeUpRoot root_{{"proc/cpuinfo", "vendor_id\t: GenuineIntel\n"},
                   {"sys/bus/event_source/devices/cpu/type", "4\n"},
                   {"sys/bus/event_source/devices/cpu/format/event", "config:0-7\n"},
                   {"sys/bus/event_source/devices/cpu/format/umask", "config:8-15\n"}};
  SimulatedPerf system_;
  PerfBackend backend_{system_, root_.path()};
};

TEST_F(SimulatedBackend, CountsToSeeWhetherItWorks) {
  const Availability availability = backend_.probe(0);
  EXPECT_TRUE(availability.works);
  EXPECT_THAT(availability.why, IsEmpty());
  ASSERT_THAT(system_.openings, SizeIs(1));
  EXPECT_EQ(system_.openings[0].process, 0);
}

TEST_F(SimulatedBackend, DoesNotCountForASetUserIdProgram) {
  if (getuid() != 0) GTEST_SKIP() << "only root can change the effective user";
  constexpr uid_t kNobody = 65534;
  // What follows affects the whole process and cannot be undone, so it needs a process of its own.
  const pid_t child = fork();
  if (child == 0) {
    const bool changed = seteuid(kNobody) == 0;
    const Availability availability = backend_.probe(0);
    _exit(changed && !availability.works &&
                  availability.why.find("set-user-ID") != std::string::npos
              ? 0
              : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(SimulatedBackend, TellsThatRdpmcIsNotAllowed) {
  system_.rdpmc = false;
  const Availability availability = backend_.probe(0);
  EXPECT_TRUE(availability.works);
  EXPECT_THAT(availability.why, HasSubstr("RDPMC"));
  EXPECT_THAT(availability.remedy, HasSubstr("/sys/bus/event_source/devices/cpu/rdpmc"));
}

TEST_F(SimulatedBackend, TrustsNoCounterThatStandsStill) {
  system_.counter = [](const perf_event_attr&) { return 12; };
  const Availability availability = backend_.probe(0);
  EXPECT_FALSE(availability.works);
  EXPECT_THAT(availability.why, HasSubstr("stands still"));
}

TEST_F(SimulatedBackend, SaysWhyItDoesNotWork) {
  system_.open_error = ENOENT;
  EXPECT_THAT(backend_.probe(0).why, HasSubstr("(ENOENT)"));
  system_.open_error = 0;
  system_.held = system_.counters;
  EXPECT_THAT(backend_.probe(0).why, HasSubstr("somebody else holds them"));
}

TEST_F(SimulatedBackend, OpensTheClockAndThenThePasses) {
  system_.counters = 3;
  const std::vector<EventRequest> events = {request("r01c0"), request("r01c1"), request("r01c2")};
  const auto groups = backend_.open(kProcess, 0, events);
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_THAT(groups[0]->names(), ElementsAre("cycles"));
  EXPECT_THAT(groups[1]->names(), ElementsAre("cycles", "r01c0", "r01c1"));
  EXPECT_THAT(groups[2]->names(), ElementsAre("cycles", "r01c2"));
  const auto& last = system_.openings.back();
  EXPECT_EQ(last.process, kProcess);
  EXPECT_EQ(last.attributes.config, 0x1c2U);
  EXPECT_EQ(last.group, groups[2]->pages()[0]);
  groups[1]->start();
  EXPECT_THAT(groups[1]->stop(), SizeIs(3));
}

TEST_F(SimulatedBackend, FindsThePassesOnce) {
  const std::vector<EventRequest> events = {request("r01c0"), request("r01c1")};
  backend_.open(kProcess, 0, events);
  const std::size_t before = system_.openings.size();
  backend_.open(kProcess + 1, 0, events);
  // Openings: the clock, and one pass of three events; nothing was tried again.
  EXPECT_EQ(system_.openings.size(), before + 4);
  const std::vector<EventRequest> alone = {request("r01c0"), request("r01c1", true)};
  EXPECT_THAT(backend_.open(kProcess, 0, alone), SizeIs(3));
}

TEST_F(SimulatedBackend, NamesAnEventThatThereIsNot) {
  const std::vector<EventRequest> events = {request("no::SUCH_EVENT")};
  EXPECT_THAT([&] { backend_.open(kProcess, 0, events); },
              ThrowsMessage<InputError>(HasSubstr("no::SUCH_EVENT")));
}

TEST_F(SimulatedBackend, ExplainsWhatTheKernelRefuses) {
  backend_.open(kProcess, 0, {});
  system_.open_error = EACCES;
  root_.set("proc/sys/kernel/perf_event_paranoid", "3");
  EXPECT_THAT([&] { backend_.open(kProcess, 0, {}); },
              ThrowsMessage<EnvironmentError>(HasSubstr("perf_event_paranoid is 3")));
}

TEST_F(SimulatedBackend, TellsWhatDoesNotExistFromWhatTheSystemRefuses) {
  const std::vector<EventRequest> events = {request("r01c0"), request("r01c1")};
  int& error = system_.event_errors[{PERF_TYPE_RAW, 0x1c1}];
  for (const int absent : {ENOENT, EINVAL, ENODEV, EOPNOTSUPP}) {
    error = absent;
    EXPECT_THAT([&] { backend_.open(kProcess, 0, events); },
                ThrowsMessage<InputError>(HasSubstr("event \"r01c1\"")));
  }
  for (const int refused : {EMFILE, EACCES, EPERM, EBUSY, ENOSPC}) {
    error = refused;
    EXPECT_THAT([&] { backend_.open(kProcess, 0, events); },
                ThrowsMessage<EnvironmentError>(HasSubstr("event \"r01c1\"")));
  }
  system_.open_error = ENOENT;  // not even core cycles can be opened
  EXPECT_THROW(backend_.open(kProcess, 0, events), EnvironmentError);
}

TEST(HybridBackend, CountsTheCyclesOfTheCoreThatIsUsed) {
  const MadeUpRoot root{{"sys/bus/event_source/devices/cpu_core/type", "4\n"},
                        {"sys/bus/event_source/devices/cpu_core/cpus", "0-3\n"},
                        {"sys/bus/event_source/devices/cpu_core/format/event", "config:0-7\n"},
                        {"sys/bus/event_source/devices/cpu_atom/type", "10\n"},
                        {"sys/bus/event_source/devices/cpu_atom/cpus", "4-7\n"},
                        {"sys/bus/event_source/devices/cpu_atom/format/event", "config:0-7\n"}};
  SimulatedPerf system;
  system.rdpmc = false;
  PerfBackend backend(system, root.path());
  EXPECT_THAT(backend.probe(5).remedy, HasSubstr("cpu_atom/rdpmc"));
  backend.open(4321, 2, {});
  EXPECT_EQ(system.openings.front().attributes.config, 10ULL << 32);
  EXPECT_EQ(system.openings.back().attributes.config, 4ULL << 32);
  const EventRequest atoms = request("cpu_atom/event=0xc0/");
  EXPECT_THROW(backend.same_event(atoms, atoms), InputError);
  backend.probe(5);
  EXPECT_TRUE(backend.same_event(atoms, request("cpu_atom/event=192/")));
}

TEST_F(SimulatedBackend, EncodesTheEventsOfItsTest) {
  const auto groups = backend_.open(kProcess, 0, backend_.test_events());
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_THAT(groups[1]->names(), SizeIs(3));
  const auto& openings = system_.openings;
  EXPECT_EQ(openings[openings.size() - 2].attributes.config, PERF_COUNT_HW_INSTRUCTIONS);
  EXPECT_EQ(openings.back().attributes.config, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
}

/// This test uses the machine that it runs on.
TEST(PerfBackend, SaysWhatIsInItsWay) {
  const Availability availability = PerfBackend().probe(0);
  if (availability.works) GTEST_SKIP() << "nothing is: this machine's counters work";
  EXPECT_THAT(availability.why, HasSubstr("("));
  EXPECT_THAT(availability.remedy, Not(IsEmpty()));
}

TEST_F(SimulatedBackend, KnowsAnEventByWhatTheKernelIsAskedFor) {
  const EventRequest code = request("r01c0");
  EXPECT_TRUE(backend_.same_event(code, {"mine", "cpu/event=0xc0,umask=0x01/", true}));
  EXPECT_FALSE(backend_.same_event(code, request("r02c0")));
  EXPECT_FALSE(backend_.same_event(request("perf::INSTRUCTIONS"), request("perf::BRANCHES")));
  EXPECT_THROW(backend_.same_event(code, request("no::SUCH_EVENT")), InputError);
}

TEST(PerfBackend, CountsWhereThereAreCounters) {
  PerfBackend backend;
  const Availability availability = backend.probe(0);
  if (!availability.works) GTEST_SKIP() << availability.why;
  const auto groups = backend.open(0, 0, backend.test_events());
  ASSERT_THAT(groups, SizeIs(2));
  groups[1]->start();
  keep_busy();
  EXPECT_THAT(groups[1]->stop(), testing::Each(testing::Gt(1000U)));
}

}  // namespace
}  // namespace assay
