#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <thread>

#include "tests/harness/campaign/attacked_campaign.h"

namespace assay {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

class Crash : public AttackedCampaign {
 protected:
  Crash() : AttackedCampaign(kMany) {}

  /// Starts campaigns one after the other, lets each run for a while, and ends it with `attack`;
  /// the last one has committed something by then.
  void crash(const std::function<void(pid_t)>& attack) {
    constexpr int kTimes = 3;
    for (int i = 0; i <= kTimes; ++i) {
      const Outcomes known = outcomes();
      const auto process = start();
      i < kTimes ? wait_at_random() : wait_for_outcomes(known);
      const Outcomes committed = outcomes();
      attack(process->pid());
      process->wait();
      expect_nothing_left();
      expect_kept(committed, outcomes());
    }
    expect_to_go_on(kFurther);
  }

  static constexpr int kFurther = 50;
};

TEST_F(Crash, KilledItLosesNothingThatWasCommitted) {
  crash([](pid_t process) { send(process, SIGKILL); });
}

TEST_F(Crash, SoWithAllItsProcesses) {
  crash([this](pid_t process) {
    send_to_group(process, SIGKILL);
    for (const RunningProcess& each : processes_in(folder_.path())) send(each.pid, SIGKILL);
    send(process, SIGKILL);  // in case it was not found in the folder yet
  });
}

TEST_F(Crash, NoSubjectOutlivesItWhileItStarts) {
  for (int i = 0; i < 20; ++i) {
    const auto process = start();
    std::this_thread::sleep_for(std::uniform_int_distribution(0, 100)(random_) * 1ms);
    send(process->pid(), SIGKILL);
    process->wait();
    expect_nothing_left();
  }
  expect_to_go_on(kFurther);
}

/// Campaigns of which some process is disturbed, and which have to go on.
class Disturbed : public AttackedCampaign {
 protected:
  Disturbed() : AttackedCampaign(kMany) {}

  /// `attack` returns whether it may have cost a block its outcome.
  void disturb(const std::function<bool(pid_t)>& attack) {
    const auto process = start();
    wait_for_outcomes({});
    int times = 0;
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(std::uniform_int_distribution(1, 150)(random_) * 1ms);
      if (attack(process->pid())) ++times;
    }
    const Outcomes known = outcomes();
    wait_for_outcomes(known);
    send(process->pid(), SIGTERM);
    const Finished run = process->wait();
    ASSERT_EQ(run.status, 128 + SIGTERM) << run.err;
    EXPECT_LE(json::parse(run.out)["failed"], times) << run.out;
    expect_nothing_left();
    expect_kept(known, outcomes());
    expect_to_go_on(50);
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
    return false;  // this costs no block its outcome
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
  Interrupted() : AttackedCampaign(kMany) {}

  void expect_to_end_by(int signal, const std::function<void(pid_t)>& send) {
    const auto process = start();
    ASSERT_TRUE(any_subject());
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
  expect_to_go_on(50);
}

TEST_F(Interrupted, ByATerminalWhichSignalsAllOfItsProcesses) {
  for (const int signal : {SIGINT, SIGTERM}) {
    expect_to_end_by(signal, [&](pid_t process) { send_to_group(process, signal); });
    ASSERT_FALSE(HasFailure());
  }
  expect_to_go_on(50);
}

}  // namespace
}  // namespace assay
