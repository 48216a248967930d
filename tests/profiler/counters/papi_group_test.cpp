#include "profiler/counters/papi_group.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <thread>

namespace assay {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// These are software events, which are counted even without hardware counters. The time comes
// first, since a group's first counter must not stand still.
const EventRequest kTime{"time", "perf::TASK-CLOCK"};
const EventRequest kFaults{"faults", "perf::PAGE-FAULTS"};
constexpr std::size_t kPages = 64;

void touch_new_pages() {
  constexpr std::size_t kPageSize = 4096;
  void* const pages =
      mmap(nullptr, kPages * kPageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(madvise(pages, kPages * kPageSize, MADV_NOHUGEPAGE), 0);
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(pages)[i * kPageSize] = 1;
  munmap(pages, kPages * kPageSize);
}

/// The descriptors of this process that are open on counters.
std::vector<int> counters() {
  std::vector<int> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;  // set for the descriptor that reads this directory
    const auto target = std::filesystem::read_symlink(entry, closed);
    if (target == "anon_inode:[perf_event]") found.push_back(std::stoi(entry.path().filename()));
  }
  return found;
}

class PapiGroupTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      PapiGroup({{kTime}}, std::nullopt);
    } catch (const EnvironmentError& error) {
      GTEST_SKIP() << "PAPI counts no software events here: " << error.what();
    }
  }
};

TEST_F(PapiGroupTest, CountsInTheOrderInWhichItWasAsked) {
  PapiGroup group({{kTime, kFaults, {"minor", "perf::MINOR-FAULTS"}}}, std::nullopt);
  EXPECT_EQ(group.method(), ReadMethod::kAround);
  EXPECT_THAT(group.names(), ElementsAre("time", "faults", "minor"));
  group.start();
  touch_new_pages();
  const auto counts = group.stop();
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_GT(counts[0], 0U);
  EXPECT_GE(counts[1], kPages);
  EXPECT_EQ(counts[1], counts[2]);
}

TEST_F(PapiGroupTest, StartsFromZero) {
  PapiGroup group({{kTime, kFaults}}, std::nullopt);
  group.start();
  for (int i = 0; i < 8; ++i) touch_new_pages();
  group.start();  // once more without stop(), as after a run that ended by a fault
  touch_new_pages();
  const auto restarted = group.stop();
  EXPECT_GE(restarted[1], kPages);
  EXPECT_LT(restarted[1], 4 * kPages);
  group.start();
  EXPECT_LT(group.stop()[1], kPages);
}

TEST_F(PapiGroupTest, ClosesItsCounters) {
  const auto before = counters();
  {
    PapiGroup running({{kTime, kFaults}}, std::nullopt);
    running.start();
    EXPECT_EQ(counters().size(), before.size() + 2);
  }
  EXPECT_THROW(PapiGroup({{kTime, kTime}}, std::nullopt), InputError);
  EXPECT_EQ(counters(), before);
}

TEST_F(PapiGroupTest, SaysInWordsWhatCannotBeCounted) {
  EXPECT_THAT(
      [] {
        PapiGroup({{kTime, {"mine", "perf::NONSENSE"}}}, std::nullopt);
      },
      ThrowsMessage<InputError>(AllOf(HasSubstr("mine"), HasSubstr("time"),
                                      HasSubstr("Event does not exist"),
                                      Not(ContainsRegex("-[0-9]")))));
}

TEST_F(PapiGroupTest, RefusesAFirstCounterThatStandsStill) {
  // Context switches happen in the kernel, which is not counted.
  PapiGroup group({{{"switches", "perf::CONTEXT-SWITCHES"}}}, std::nullopt);
  group.start();
  EXPECT_THAT([&] { group.stop(); }, ThrowsMessage<CounterError>(HasSubstr("switches")));
}

TEST_F(PapiGroupTest, TellsThatItsCountersWereLost) {
  // Counters that PAPI cannot stop stay with the thread: it gets a thread of its own, so that other
  // tests are not affected.
  const auto lose = [] {
    const auto before = counters();
    PapiGroup group({{kTime, kFaults}}, std::nullopt);
    group.start();
    const int nothing = open("/dev/null", O_RDONLY);
    for (const int counter : counters()) {
      // Reading the descriptor gives no bytes now, as with a pinned group that found no counters.
      if (std::ranges::find(before, counter) == before.end()) dup2(nothing, counter);
    }
    close(nothing);
    EXPECT_THAT([&] { group.stop(); },
                ThrowsMessage<CounterError>(
                    AllOf(HasSubstr("could not keep time, faults"), HasSubstr("failed"))));
  };
  // The second thread gets what the first one had, even its number.
  for (int i = 0; i < 2; ++i) std::thread(lose).join();
  PapiGroup next({{kTime}}, std::nullopt);
  next.start();
  EXPECT_EQ(next.stop().size(), 1U);
}

TEST_F(PapiGroupTest, TellsAnEventThatIsNotHereFromOtherFailures) {
  const EventRequest branches{"mine", "perf::BRANCHES"};
  try {
    PapiGroup({{kTime, branches}}, std::nullopt);
    GTEST_SKIP() << "this machine counts branches";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("mine"));
  }
  EXPECT_THROW(PapiGroup({{branches}}, std::nullopt), EnvironmentError);
}

TEST_F(PapiGroupTest, LeavesStandardErrorAndSignalsAlone) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(PapiGroup({{{"mine", "perf::NONSENSE"}}}, std::nullopt), EnvironmentError);
  PapiGroup group({{kTime}}, std::nullopt);
  group.start();
  group.stop();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    ASSERT_EQ(sigaction(signal, nullptr, &action), 0);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << signal;
  }
}

/// A child process that is stopped until the test lets it go; then it touches new pages, and stops
/// again.
class StoppedChild {
 public:
  StoppedChild() : pid_(fork()) {
    if (pid_ == 0) {
      for (;;) {
        raise(SIGSTOP);
        touch_new_pages();
      }
    }
    wait();
  }
  ~StoppedChild() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  StoppedChild(const StoppedChild&) = delete;
  StoppedChild& operator=(const StoppedChild&) = delete;

  pid_t pid() const { return pid_; }
  void run() {
    kill(pid_, SIGCONT);
    wait();
  }

 private:
  void wait() {
    int status = 0;
    waitpid(pid_, &status, WUNTRACED);
  }
  pid_t pid_;
};

TEST_F(PapiGroupTest, CountsAnotherProcess) {
  StoppedChild child;
  std::optional<PapiGroup> group;
  try {
    group.emplace(std::vector{kTime, kFaults}, child.pid());
  } catch (const EnvironmentError& error) {
    GTEST_SKIP() << error.what();
  }
  for (int i = 0; i < 2; ++i) {
    group->start();
    child.run();
    const auto counts = group->stop();
    EXPECT_GT(counts[0], 0U);
    EXPECT_GE(counts[1], kPages);
    EXPECT_LT(counts[1], 2 * kPages);
  }
}

TEST(Papi, KnowsTheKernelsEvents) {
  if (!papi_starts()) GTEST_SKIP() << "PAPI knows nothing of this CPU: is its libpfm4 older?";
  EXPECT_TRUE(papi_has("perf::PAGE-FAULTS"));
  EXPECT_FALSE(papi_has("perf::NONSENSE"));
  EXPECT_FALSE(papi_has("PAPI_NONSENSE"));
}

}  // namespace
}  // namespace assay
