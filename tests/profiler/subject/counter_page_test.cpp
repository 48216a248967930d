#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "tests/profiler/subject/rdpmc.h"
#include "tests/profiler/subject/simulated_pages.h"

namespace assay::subject {
namespace {

using namespace std::chrono_literals;

/// The descriptors of a process, with what they are open on.
std::map<int, std::string> descriptors_of(pid_t pid) {
  std::map<int, std::string> all;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
    all[std::stoi(entry.path().filename())] = std::filesystem::read_symlink(entry).string();
  }
  return all;
}

/// The permissions of the mapped pages from kCounterPages on, by number of the page.
std::map<std::uint64_t, std::string> counter_pages_of(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  std::map<std::uint64_t, std::string> pages;
  for (std::string line; std::getline(maps, line);) {
    const std::uint64_t first = std::stoull(line, nullptr, 16);
    const std::uint64_t end = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
    if (first < kCounterPages || first >= kBase + kSpan) continue;
    for (std::uint64_t page = first; page < end; page += kPageSize) {
      pages[(page - kCounterPages) / kPageSize] = line.substr(line.find(' ') + 1, 4);
    }
  }
  return pages;
}

bool gone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

OpenCounters opening(const SimulatedPages& pages) {
  return [&pages](pid_t) { return pages.descriptors(); };
}

TEST(CounterPages, AreMappedOneBehindTheOtherAndNothingElse) {
  const SimulatedPages pages(3);
  const Subject subject(opening(pages));
  EXPECT_THAT(counter_pages_of(subject.pid()),
              testing::ElementsAre(testing::Pair(0, "r--s"), testing::Pair(1, "r--s"),
                                   testing::Pair(2, "r--s")));
  const std::string counter = "/memfd:counter (deleted)";
  EXPECT_THAT(descriptors_of(subject.pid()),
              testing::ElementsAre(testing::Pair(3, "/memfd:assay-arena (deleted)"),
                                   testing::Pair(4, "/memfd:assay-frame (deleted)"),
                                   testing::Pair(5, counter), testing::Pair(6, counter),
                                   testing::Pair(7, counter)));
}

TEST(CounterPages, ThereMayBeNoneOrTheMost) {
  for (const std::uint32_t count : {std::uint32_t{0}, kMaxCounterPages}) {
    const SimulatedPages pages(count);
    const Subject subject(opening(pages));
    EXPECT_EQ(counter_pages_of(subject.pid()).size(), count);
    EXPECT_EQ(descriptors_of(subject.pid()).size(), 2 + count);
  }
}

TEST(CounterPages, AreOwnMemoryToTheLast) {
  EXPECT_TRUE(is_own_address(kCounterPages));
  EXPECT_TRUE(is_own_address(kCounterPages + kMaxCounterPages * kPageSize - 1));
}

/// A subject with four simulated counters, and two kernels: one that does nothing, and one that
/// reads counter 0 (xor ecx, ecx; rdpmc; ret), during which a test may change something.
class CounterWatchTest : public testing::Test {
 protected:
  static constexpr std::array<std::uint64_t, 1> kPlain = {kCode};
  static constexpr std::array<std::uint64_t, 1> kReading = {kCode + 64};

  CounterWatchTest() : subject_(opening(pages_)) {
    subject_.load_code(0, bytes_from_hex("c3"));
    subject_.load_code(64, bytes_from_hex("31c90f33c3"));
  }

  SeriesResult run(std::uint32_t first_page, const std::vector<std::uint32_t>& indices,
                   std::span<const std::uint64_t> kernels = kPlain) {
    const auto result = subject_.run(
        {.kernels = kernels, .rounds = 2, .counters = 2, .watch = {first_page, indices}}, {});
    EXPECT_FALSE(result.fault) << name(result.fault->outcome.reason) << " "
                               << result.fault->outcome.detail;
    return result;
  }

  /// Runs the kernel that reads a counter; the monitor calls `change` when it does.
  SeriesResult run_changing(const std::function<void()>& change) {
    subject_.emulate_rdpmc([&](user_regs_struct& registers) {
      change();
      registers.rip += 2;
      return true;
    });
    return run(1, {2, 3}, kReading);
  }

  SimulatedPages pages_{4};
  Subject subject_;
};

TEST_F(CounterWatchTest, RunsWhenAllAreAsExpected) {
  const auto result = run(1, {2, 3});
  EXPECT_FALSE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(2, 3));
  EXPECT_EQ(result.readings.size(), 4U);
}

TEST_F(CounterWatchTest, RunsNothingWhenOneIsNot) {
  // If the kernel ran, its RDPMC would be noticed, or would fault.
  const auto result = run(1, {2, 4}, kReading);
  EXPECT_TRUE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(2, 3));
  EXPECT_TRUE(result.readings.empty());
  // The first page is watched as well; a page that is not watched does not matter.
  EXPECT_TRUE(run(1, {1, 3}).counters_moved);
  EXPECT_FALSE(run(0, {1, 2}).counters_moved);
}

TEST_F(CounterWatchTest, TellsWhichDoesNotCount) {
  pages_.page(2).index = 0;
  const auto result = run(0, {1, 2, 3, 4});
  EXPECT_TRUE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(1, 2, 0, 4));
  pages_.page(2).index = 0x40000001;
  EXPECT_FALSE(run(0, {1, 2, 0x40000001, 4}).counters_moved);
}

TEST_F(CounterWatchTest, RunsNothingWhenNoneIsExpected) {
  pages_.page(1).index = 0;
  const auto result = run(0, {0, 0}, kReading);
  EXPECT_TRUE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(1, 0));
  EXPECT_TRUE(run(1, {0}, kReading).counters_moved);
}

TEST_F(CounterWatchTest, WatchesNothingUnlessAskedTo) {
  pages_.page(0).index = 0;
  const auto result = run(0, {});
  EXPECT_FALSE(result.counters_moved);
  EXPECT_TRUE(result.indices.empty());
}

TEST_F(CounterWatchTest, RefusesToWatchWhatThereIsNot) {
  EXPECT_THROW(run(3, {4, 5}), Error);
  EXPECT_THROW(run(5, {}), Error);
  EXPECT_THROW(Subject().run({.kernels = kPlain, .watch = {0, std::array{1U}}}, {}), Error);
}

TEST_F(CounterWatchTest, ReadingsAreFewAndOfFewCounters) {
  EXPECT_THROW(subject_.run({.kernels = kPlain, .counters = 0}, {}), Error);
  EXPECT_THROW(subject_.run({.kernels = kPlain, .counters = kMaxCounters + 1}, {}), Error);
  const Series most{
      .kernels = kPlain, .rounds = kMaxReadings / kMaxCounters, .counters = kMaxCounters};
  EXPECT_EQ(subject_.run(most, {}).readings.size(), std::size_t{kMaxReadings});
  Series more = most;
  ++more.rounds;
  EXPECT_THROW(subject_.run(more, {}), Error);
}

class MovingCounterTest : public CounterWatchTest {
 protected:
  void SetUp() override {
    if (!rdpmc_faults()) GTEST_SKIP() << "this system lets every process use RDPMC";
  }
};

TEST_F(MovingCounterTest, ReadingsStandWhileNothingChanges) {
  EXPECT_FALSE(run_changing([] {}).counters_moved);
  // Not watched
  EXPECT_FALSE(run_changing([&] { pages_.page(0).lock += 2; }).counters_moved);
}

TEST_F(MovingCounterTest, ALockThatChangedVoidsTheReadings) {
  int reads = 0;
  const auto result = run_changing([&] {
    if (++reads == 2) pages_.page(2).lock += 2;
  });
  EXPECT_EQ(reads, 2);
  EXPECT_TRUE(result.counters_moved);
  EXPECT_TRUE(result.readings.empty());
  EXPECT_THAT(result.indices, testing::ElementsAre(2, 3));
  EXPECT_FALSE(run_changing([] {}).counters_moved);
}

TEST_F(MovingCounterTest, AnIndexThatChangedIsTold) {
  const auto result = run_changing([&] { pages_.page(1).index = 9; });
  EXPECT_TRUE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(9, 3));
}

TEST_F(MovingCounterTest, TheEmulatorIsAskedAboutRdpmcOnly) {
  int asked = 0;
  subject_.emulate_rdpmc([&](user_regs_struct&) {
    ++asked;
    return false;
  });
  const auto fault_of = [&](const char* hex) {
    subject_.load_code(0, bytes_from_hex(hex));
    return subject_.run({.kernels = kPlain}, {}).fault.value_or(Fault{}).outcome.reason;
  };
  EXPECT_EQ(fault_of("f4"), Reason::kGeneralProtection);         // hlt
  EXPECT_EQ(fault_of("0f0b"), Reason::kUnsupportedInstruction);  // ud2
  EXPECT_EQ(asked, 0);
  EXPECT_EQ(fault_of("31c90f33c3"), Reason::kGeneralProtection);
  EXPECT_EQ(asked, 1);
  subject_.emulate_rdpmc({});
  EXPECT_EQ(fault_of("31c90f33c3"), Reason::kGeneralProtection);
}

/// Starts a subject whose start must fail. Returns what was thrown, with the pid of the child
/// process that should have become the subject.
template <typename Exception>
std::string thrown_by(const OpenCounters& open) {
  pid_t child = -1;
  std::string what = "nothing";
  try {
    const Subject subject([&](pid_t pid) {
      child = pid;
      EXPECT_FALSE(gone(pid));
      return open(pid);
    });
  } catch (const Exception& exception) {
    what = exception.what();
  }
  EXPECT_GT(child, 0);
  EXPECT_TRUE(gone(child));
  return what;
}

TEST(OpenCounters, WhatItThrowsIsPassedOnAndNoChildIsLeft) {
  EXPECT_EQ(thrown_by<std::logic_error>(
                [](pid_t) -> std::vector<int> { throw std::logic_error("no such event"); }),
            "no such event");
}

TEST(OpenCounters, TooManyPagesAreAnError) {
  EXPECT_THAT(
      thrown_by<Error>([](pid_t) { return std::vector<int>(kMaxCounterPages + 1, STDIN_FILENO); }),
      testing::HasSubstr("more counters"));
}

TEST(OpenCounters, ABrokenDescriptorIsAnError) {
  EXPECT_THAT(thrown_by<EnvironmentError>([](pid_t) { return std::vector{-1}; }),
              testing::HasSubstr("cannot pass counters"));
}

TEST(OpenCounters, AChildThatEndsMeanwhileIsAnError) {
  EXPECT_THAT(thrown_by<EnvironmentError>([](pid_t pid) {
                kill(pid, SIGKILL);
                return std::vector<int>();
              }),
              testing::HasSubstr("the subject"));
}

TEST(OpenCounters, APageThatCannotBeMappedIsNamedWithItsCause) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  EXPECT_THAT(
      thrown_by<EnvironmentError>([&](pid_t) { return std::vector{read_end.get()}; }),
      testing::AllOf(testing::HasSubstr("counters' pages"), testing::HasSubstr("No such device")));
}

TEST(OpenCounters, ItsChildDiesWithTheMonitor) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const pid_t monitor = fork();
  if (monitor == 0) {
    const Subject subject([&](pid_t pid) -> std::vector<int> {
      if (write(write_end.get(), &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
      for (;;) pause();
    });
  }
  pid_t pid = 0;
  ASSERT_EQ(read(read_end.get(), &pid, sizeof(pid)), static_cast<ssize_t>(sizeof(pid)));
  kill(monitor, SIGKILL);
  waitpid(monitor, nullptr, 0);
  const auto ended = [pid] {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    return !std::getline(status, text) || text.find(") Z") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !ended(); ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(ended());
}

/// Opens a software event for a process; it counts even without hardware counters.
int open_task_clock(pid_t pid) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, pid, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

TEST(OpenCounters, TheKernelsOwnPageIsMapped) {
  if (Descriptor own(open_task_clock(0)); own.get() < 0) {
    GTEST_SKIP() << "this system lets nobody count (perf_event_open)";
  }
  Descriptor counter;
  Subject subject([&](pid_t pid) {
    counter = Descriptor(open_task_clock(pid));
    return std::vector{counter.get()};
  });
  subject.load_code(0, bytes_from_hex("c3"));
  const std::array<std::uint64_t, 1> kernels = {kCode};
  const std::array<std::uint32_t, 1> expected = {1};
  // A software event has no register that RDPMC reads.
  const auto result = subject.run({.kernels = kernels, .watch = {0, expected}}, {});
  EXPECT_TRUE(result.counters_moved);
  EXPECT_THAT(result.indices, testing::ElementsAre(0));
  std::uint64_t nanoseconds = 0;
  ASSERT_EQ(read(counter.get(), &nanoseconds, sizeof(nanoseconds)),
            static_cast<ssize_t>(sizeof(nanoseconds)));
  EXPECT_GT(nanoseconds, 0U);
}

/// Tests of counting as a user without any rights, in a process of its own.
class WithoutRights : public testing::Test {
 protected:
  static constexpr int kAsItShould = 0;
  static constexpr int kOtherwise = 1;
  static constexpr int kNotAllowed = 2;

  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user here";
  }

  /// Runs `does` in a process; skips the test if that says that it is not allowed to do it.
  static void expect_of_process(const std::function<int()>& does) {
    const pid_t process = fork();
    if (process == 0) {
      constexpr uid_t kNobody = 65534;
      const rlimit none{0, 0};
      setrlimit(RLIMIT_MEMLOCK, &none);
      if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(kNotAllowed);
      const Descriptor own(open_task_clock(0));
      _exit(own.get() < 0 ? kNotAllowed : does());
    }
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "this system does not allow that here";
    EXPECT_EQ(WEXITSTATUS(status), kAsItShould);
  }
};

TEST_F(WithoutRights, AProcessThatIsNotDumpableCanBeCounted) {
  expect_of_process([] {
    prctl(PR_SET_DUMPABLE, 0);
    int error = 0;
    const Subject subject([&](pid_t pid) {
      const Descriptor counter(open_task_clock(pid));
      error = counter.get() < 0 ? errno : 0;
      return std::vector<int>();
    });
    return error == 0 ? kAsItShould : kOtherwise;
  });
}

TEST_F(WithoutRights, CountersThatLockTooMuchMemoryAreExplained) {
  expect_of_process([] {
    std::vector<std::unique_ptr<Subject>> subjects;
    std::vector<Descriptor> counters;
    try {
      // The limit on such pages is half a megabyte for each processor.
      for (int i = 0; i < 100; ++i) {
        subjects.push_back(std::make_unique<Subject>([&](pid_t pid) {
          counters.clear();
          std::vector<int> numbers;
          for (std::uint32_t k = 0; k < kMaxCounterPages; ++k) {
            counters.emplace_back(open_task_clock(pid));
            numbers.push_back(counters.back().get());
          }
          return numbers;
        }));
      }
    } catch (const EnvironmentError& error) {
      const std::string what = error.what();
      return what.find("perf_event_mlock_kb") != std::string::npos ? kAsItShould : kOtherwise;
    }
    return kNotAllowed;
  });
}

}  // namespace
}  // namespace assay::subject
