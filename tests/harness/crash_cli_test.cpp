#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "tests/harness/attacked_campaign.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

class Crash : public AttackedCampaign {
 protected:
  static constexpr int kTimes = 4;

  /// Starts a campaign, lets it run for a while, and ends it as `attack` does.
  void crash(const std::function<void(pid_t)>& attack) {
    const auto process = start();
    wait_at_random();
    const Outcomes committed = outcomes();
    attack(process->pid());
    process->wait();
    expect_nothing_left();
    expect_kept(committed, outcomes());
  }
};

TEST_F(Crash, KilledItLosesNothingThatWasCommitted) {
  for (int i = 0; i < kTimes; ++i) {
    crash([](pid_t process) { send(process, SIGKILL); });
  }
  expect_to_go_on_to_the_end();
}

TEST_F(Crash, SoWithAllItsProcesses) {
  for (int i = 0; i < kTimes; ++i) {
    crash([this](pid_t process) {
      send_to_group(process, SIGKILL);
      for (const RunningProcess& each : processes_in(folder_.path())) send(each.pid, SIGKILL);
      send(process, SIGKILL);  // if it was not yet where it is looked for
    });
  }
  expect_to_go_on_to_the_end();
}

TEST_F(Crash, NoSubjectOutlivesItWhileItStarts) {
  for (int i = 0; i < 20; ++i) {
    const auto process = start();
    std::this_thread::sleep_for(std::uniform_int_distribution(0, 100)(random_) * 1ms);
    send(process->pid(), SIGKILL);
    process->wait();
    expect_nothing_left();
  }
  expect_to_go_on_to_the_end();
}

/// What is done to a part of it, which has to bear that and come to the same end.
class Disturbed : public AttackedCampaign {
 protected:
  void disturb(const std::function<bool(pid_t)>& attack) {
    const auto process = start();
    int times = 0;
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(std::uniform_int_distribution(1, 150)(random_) * 1ms);
      if (attack(process->pid())) ++times;
    }
    const Finished run = process->wait();
    ASSERT_EQ(run.status, 0) << run.err;
    const json summary = json::parse(run.out);
    EXPECT_EQ(summary["blocks"], kBlocks);
    EXPECT_LE(summary["failed"], times) << summary;
    expect_nothing_left();
    expect_to_go_on_to_the_end();
  }
};

TEST_F(Disturbed, ByASubjectThatIsKilled) {
  disturb([this](pid_t) { return send(any_subject(), SIGKILL); });
}

TEST_F(Disturbed, ByASubjectThatIsStoppedForAWhile) {
  disturb([this](pid_t) {
    const auto subject = any_subject();
    if (!send(subject, SIGSTOP)) return false;
    std::this_thread::sleep_for(100ms);
    return send(subject, SIGCONT);
  });
}

TEST_F(Disturbed, ByBeingStoppedForAWhile) {
  disturb([](pid_t process) {
    if (!send(process, SIGSTOP)) return false;
    std::this_thread::sleep_for(100ms);
    send(process, SIGCONT);
    return false;  // costs no block
  });
}

TEST_F(Disturbed, ByAWorkerThatIsKilled) {
  const std::string name = std::filesystem::path(ASSAY_PROGRAM).filename();
  bool any = false;
  disturb([&](pid_t process) {
    const std::vector<pid_t> workers = running(name, process);
    any = any || !workers.empty();
    return !workers.empty() && send(workers[random_() % workers.size()], SIGKILL);
  });
  if (!any) GTEST_SKIP() << "this assay measures in no processes of its own";
}

class Interrupted : public AttackedCampaign {
 protected:
  void expect_to_end_by(int signal, const std::function<void(pid_t)>& send) {
    const auto process = start();
    any_subject();
    wait_at_random();
    send(process->pid());
    const Finished run = process->wait();
    EXPECT_EQ(run.status, 128 + signal) << run.err;
    EXPECT_THAT(run.err, HasSubstr("run the same command again"));
    const json summary = json::parse(run.out);
    EXPECT_EQ(summary["interrupted"], true);
    EXPECT_EQ(summary["blocks"], outcomes().size()) << "all that was measured is committed";
    expect_nothing_left();
  }
};

TEST_F(Interrupted, ByASignalItSaysHowToGoOn) {
  for (const int signal : {SIGINT, SIGTERM}) {
    expect_to_end_by(signal, [&](pid_t process) { send(process, signal); });
    ASSERT_FALSE(HasFailure());
  }
  expect_to_go_on_to_the_end();
}

TEST_F(Interrupted, ByATerminalWhichSignalsAllOfItsProcesses) {
  for (const int signal : {SIGINT, SIGTERM}) {
    expect_to_end_by(signal, [&](pid_t process) { send_to_group(process, signal); });
    ASSERT_FALSE(HasFailure());
  }
  expect_to_go_on_to_the_end();
}

}  // namespace
}  // namespace assay
