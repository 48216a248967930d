#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "profiler/block/bytes.h"
#include "profiler/subject/subject.h"
#include "profiler/support/error.h"
#include "tests/profiler/subject/subject_fixture.h"

namespace assay::subject {
namespace {

using namespace std::chrono_literals;

TEST(Subject, EndsWithItsOwner) {
  pid_t pid = 0;
  {
    const Subject subject;
    pid = subject.pid();
    EXPECT_EQ(kill(pid, 0), 0);
  }
  EXPECT_NE(kill(pid, 0), 0);
}

TEST(Subject, IsStartedAgainIfItIsKilledBeforeItIsReady) {
  int started = 0;
  const Subject subject([&](pid_t process) {
    if (++started <= 2) kill(process, SIGKILL);
    return std::vector<int>{};
  });
  EXPECT_EQ(started, 3);
  EXPECT_EQ(kill(subject.pid(), 0), 0);
}

TEST(Subject, OutlivesAKillAtAnyMomentOfItsStart) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300; ++i) {
    std::thread killer;
    const auto kill_soon = [&](pid_t process) {
      if (killer.joinable()) return std::vector<int>{};
      const std::chrono::microseconds delay(random() % 2000);
      killer = std::thread([process, delay] {
        std::this_thread::sleep_for(delay);
        kill(process, SIGKILL);
      });
      return std::vector<int>{};
    };
    std::optional<Subject> subject;
    EXPECT_NO_THROW(subject.emplace(kill_soon));
    killer.join();
  }
}

TEST(Subject, IsNotStartedForEver) {
  std::vector<pid_t> started;
  const auto kill_it = [&](pid_t process) {
    started.push_back(process);
    kill(process, SIGKILL);
    return std::vector<int>{};
  };
  EXPECT_THROW(Subject{kill_it}, EnvironmentError);
  EXPECT_GT(started.size(), 1U);
  for (const pid_t process : started) EXPECT_NE(kill(process, 0), 0) << "is left";
}

TEST(Subject, DiesWithItsMonitor) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t monitor = fork();
  if (monitor == 0) {
    const Subject subject;
    const pid_t pid = subject.pid();
    if (write(ends[1], &pid, sizeof(pid)) != sizeof(pid)) _exit(1);
    for (;;) pause();
  }
  pid_t pid = 0;
  ASSERT_EQ(read(ends[0], &pid, sizeof(pid)), static_cast<ssize_t>(sizeof(pid)));
  kill(monitor, SIGKILL);
  waitpid(monitor, nullptr, 0);
  const auto gone = [pid] {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    return !std::getline(status, text) || text.find(") Z") != std::string::npos;
  };
  for (int i = 0; i < 1000 && !gone(); ++i) std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(gone());
}

TEST_F(SubjectTest, DeathIsNoticed) {
  kill(subject_.pid(), SIGKILL);
  const Fault fault = fault_of("c3");
  EXPECT_EQ(fault.outcome.reason, Reason::kSubjectDamaged);
}

TEST_F(SubjectTest, SignalsFromOutsideMeanNothing) {
  for (const int signal : {SIGTERM, SIGINT, SIGSEGV, SIGTRAP, SIGSTOP, SIGUSR1}) {
    kill(subject_.pid(), signal);
    expect_works();
  }
}

TEST_F(SubjectTest, SignalsFromOutsideInTheMiddleMeanNothing) {
  // mov ecx, 40000000; 1: dec ecx; jnz 1b; ret: some 10 ms
  subject_.load_code(0, bytes_from_hex("b9005a6202ffc975fcc3"));
  std::thread sender([pid = subject_.pid()] {
    for (int i = 0; i < 20; ++i) {
      kill(pid, i % 2 ? SIGTERM : SIGSTOP);
      std::this_thread::sleep_for(500us);
    }
  });
  for (int i = 0; i < 3; ++i) {
    const auto result = run_loaded({.time = 2s});
    EXPECT_FALSE(result.fault) << result.fault->outcome.detail;
  }
  sender.join();
}

}  // namespace
}  // namespace assay::subject
