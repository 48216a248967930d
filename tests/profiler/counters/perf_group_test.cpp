#include "profiler/counters/perf_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tests/profiler/counters/simulated_perf.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::ThrowsMessage;

const std::vector<Event> kHardware = {
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false},
    {"first", PERF_TYPE_RAW, 0x1c0, 0, 0, false},
    {"second", PERF_TYPE_RAW, 0x1c1, 7, 9, false}};

const std::vector<Event> kSoftware = {
    {"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 0, 0, false},
    {"page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false}};

std::unique_ptr<PerfGroup> open(PerfSystem& system, const std::vector<Event>& events,
                                pid_t process = 0) {
  return std::get<std::unique_ptr<PerfGroup>>(PerfGroup::open(system, events, process));
}

class SimulatedGroup : public testing::Test {
 protected:
  SimulatedPerf system_;
};

TEST_F(SimulatedGroup, IsOnePinnedGroupOfUserMode) {
  const auto group = open(system_, kHardware, 1234);
  ASSERT_EQ(system_.openings.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto& [attributes, process, leader] = system_.openings[i];
    EXPECT_EQ(process, 1234);
    EXPECT_EQ(leader, i == 0 ? -1 : group->pages()[0]);
    EXPECT_EQ(attributes.size, sizeof(perf_event_attr));
    EXPECT_EQ(attributes.pinned, i == 0);
    EXPECT_EQ(attributes.disabled, i == 0);
    EXPECT_TRUE(attributes.exclude_kernel);
    EXPECT_TRUE(attributes.exclude_hv);
  }
  EXPECT_EQ(system_.openings[2].attributes.type, PERF_TYPE_RAW);
  EXPECT_EQ(system_.openings[2].attributes.config, 0x1c1U);
  EXPECT_EQ(system_.openings[2].attributes.config1, 7U);
  EXPECT_EQ(system_.openings[2].attributes.config2, 9U);
  EXPECT_THAT(group->names(), ElementsAre("cycles", "first", "second"));
}

TEST_F(SimulatedGroup, CountsInTheKernelWhatHappensThere) {
  const auto group =
      open(system_, {{"switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0, false},
                     {"tracepoint", PERF_TYPE_TRACEPOINT, 300, 0, 0, false},
                     {"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, 0, false}});
  EXPECT_FALSE(system_.openings[0].attributes.exclude_kernel);
  EXPECT_FALSE(system_.openings[1].attributes.exclude_kernel);
  EXPECT_TRUE(system_.openings[2].attributes.exclude_kernel);
}

TEST_F(SimulatedGroup, CountsFromNoughtEachTime) {
  std::uint64_t stands = 70;
  system_.counter = [&](const perf_event_attr& attributes) { return stands + attributes.config; };
  const auto group = open(system_, kHardware);
  for (const std::uint64_t counted : {5U, 11U}) {
    group->start();
    stands += counted;
    EXPECT_THAT(group->stop(), ElementsAre(counted, counted, counted));
    stands += 1000;
  }
}

TEST_F(SimulatedGroup, IsReadByRdpmcOnlyIfAllItsPagesSaySo) {
  const auto group = open(system_, kHardware);
  EXPECT_EQ(group->method(), ReadMethod::kRdpmc);
  EXPECT_EQ(group->pages().size(), 3U);
  std::vector<Event> mixed = kHardware;
  mixed.push_back(kSoftware[1]);
  EXPECT_EQ(open(system_, mixed)->method(), ReadMethod::kAround);
  system_.rdpmc = false;
  EXPECT_EQ(open(system_, kHardware)->method(), ReadMethod::kAround);
}

TEST_F(SimulatedGroup, TellsWhichEventWasNotOpened) {
  system_.counters = 2;
  auto failure = std::get<PerfOpenFailure>(PerfGroup::open(system_, kHardware, 0));
  EXPECT_EQ(failure.place, 2U);
  EXPECT_EQ(failure.error, EINVAL);
  system_.open_error = EACCES;
  failure = std::get<PerfOpenFailure>(PerfGroup::open(system_, kHardware, 0));
  EXPECT_EQ(failure.place, 0U);
  EXPECT_EQ(failure.error, EACCES);
}

TEST_F(SimulatedGroup, NeverScalesWhatWasMultiplexed) {
  const auto group = open(system_, kHardware);
  system_.running_share = 0.5;
  group->start();
  EXPECT_THAT([&] { group->stop(); },
              ThrowsMessage<CounterError>(HasSubstr("for 5000 ns of the 10000 ns")));
  // Only that run lost counts: the next one is counted all the time again.
  system_.running_share = 1;
  group->start();
  EXPECT_THAT(group->stop(), testing::SizeIs(3));
}

TEST_F(SimulatedGroup, ReportsAGroupThatWasNotInCounters) {
  const auto group = open(system_, kHardware);
  system_.held = 4;
  group->start();
  EXPECT_THAT([&] { group->stop(); },
              ThrowsMessage<CounterError>(HasSubstr("could not keep cycles, first, second")));
  system_.held = 0;
  group->start();
  EXPECT_THAT(group->stop(), testing::SizeIs(3));
}

TEST_F(SimulatedGroup, TakesNoReadingThatIsNotWhole) {
  const auto group = open(system_, kHardware);
  for (bool SimulatedPerf::*fault :
       {&SimulatedPerf::short_reads, &SimulatedPerf::forgets_an_event, &SimulatedPerf::swaps_ids}) {
    system_.*fault = true;
    group->start();
    EXPECT_THROW(group->stop(), CounterError);
    system_.*fault = false;
  }
}

TEST_F(SimulatedGroup, OfAProcessThatDidNotRunCountsNothing) {
  const auto group = open(system_, kHardware);
  system_.process_runs = false;
  group->start();
  EXPECT_THAT(group->stop(), ElementsAre(0, 0, 0));
}

/// Groups of the kernel's own events, which exist without any counter of the CPU.
class SoftwareGroup : public testing::Test {
 protected:
  void SetUp() override {
    const auto opened = PerfGroup::open(linux_perf(), kSoftware, 0);
    if (const auto* failure = std::get_if<PerfOpenFailure>(&opened)) {
      GTEST_SKIP() << describe_errno("perf_event_open is not permitted here", failure->error);
    }
  }
};

/// Touches so many new pages, which were never touched before.
void touch_pages(int pages) {
  const std::size_t size = static_cast<std::size_t>(pages) * 4096;
  char* const memory = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) return;
  madvise(memory, size, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < size; i += 4096) const_cast<volatile char*>(memory)[i] = 1;
  munmap(memory, size);
}

TEST_F(SoftwareGroup, CountsThisThread) {
  const auto group = open(linux_perf(), kSoftware);
  EXPECT_EQ(group->method(), ReadMethod::kAround);
  for (int i = 0; i < 2; ++i) {
    group->start();
    touch_pages(40);
    EXPECT_THAT(group->stop(),
                ElementsAre(Gt(0U), testing::AllOf(testing::Ge(40U), testing::Lt(80U))));
  }
}

/// A child process that stops, touches pages when it goes on, and ends.
class Child {
 public:
  Child() : pid_(fork()) {
    if (pid_ == 0) {
      raise(SIGSTOP);
      touch_pages(40);
      raise(SIGSTOP);
      _exit(0);
    }
    await_stop();
  }
  ~Child() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  void run() {
    kill(pid_, SIGCONT);
    await_stop();
  }

 private:
  void await_stop() { waitpid(pid_, nullptr, WUNTRACED); }

  pid_t pid_;
};

TEST_F(SoftwareGroup, CountsAnotherProcess) {
  Child child;
  const auto group = open(linux_perf(), kSoftware, child.pid());
  group->start();
  EXPECT_THAT(group->stop(), ElementsAre(0, 0));
  group->start();
  touch_pages(100);  // this is in our own process, which is not counted
  child.run();
  EXPECT_THAT(group->stop(),
              ElementsAre(Gt(0U), testing::AllOf(testing::Ge(40U), testing::Lt(80U))));
}

TEST_F(SoftwareGroup, CountsContextSwitches) {
  Child child;
  const auto opened =
      PerfGroup::open(linux_perf(),
                      std::vector<Event>{{"switches", PERF_TYPE_SOFTWARE,
                                          PERF_COUNT_SW_CONTEXT_SWITCHES, 0, 0, false}},
                      child.pid());
  if (const auto* failure = std::get_if<PerfOpenFailure>(&opened)) {
    GTEST_SKIP() << describe_errno("the kernel does not count events of its own", failure->error);
  }
  const auto& group = std::get<std::unique_ptr<PerfGroup>>(opened);
  group->start();
  child.run();
  EXPECT_THAT(group->stop(), ElementsAre(Gt(0U)));
}

}  // namespace
}  // namespace assay
