#include "harness/campaign/crew.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "profiler/support/error.h"
#include "tests/temporary_folder.h"

namespace assay {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using namespace std::chrono_literals;

/// What the worker does with a block in these tests, by the block's first byte.
enum Deed : std::uint8_t {
  kAnswer,
  kCrash,
  kExit,
  kHang,
  kSendRubbish,
  kSendAnotherTicket,
  kThrow,
  kThrowWhenTold,  ///< throws once a file tells it to
  kCrashOnce,      ///< the first worker that comes to it crashes; a file keeps note of that
  kWaitForCore,
  kAnswerSlowly,
};

constexpr int kSocket = 3;  // of a worker

Answer answer_to_nobody() {
  Answer answer;
  answer.ticket = 999;
  return answer;
}

class CrewTest : public testing::Test {
 protected:
  Measurement work(const Bytes& bytes, Notion notion, const NoteWaiting& note_waiting) const {
    switch (bytes.at(0)) {
      case kCrash:
        raise(SIGKILL);
        break;
      case kExit:
        _exit(7);
      case kHang:
        for (;;) pause();
      case kSendRubbish:
        send_from_worker(std::string(100, '\xff'));
        for (;;) pause();
      case kSendAnotherTicket:
        send_from_worker(encode(answer_to_nobody()));
        for (;;) pause();
      case kThrow:
        throw EnvironmentError("the clock fell off the wall");
      case kThrowWhenTold:
        while (!std::filesystem::exists(folder_ / "told")) std::this_thread::sleep_for(1ms);
        throw EnvironmentError("the clock fell off the wall");
      case kCrashOnce:
        if (!std::filesystem::exists(folder_ / "crashed")) {
          folder_.write("crashed", "");
          raise(SIGKILL);
        }
        break;
      case kWaitForCore:
        for (int i = 1; i <= 100; ++i) {
          std::this_thread::sleep_for(10ms);
          note_waiting(i * 10ms);
        }
        break;
      case kAnswerSlowly:
        std::this_thread::sleep_for(30ms);
        break;
      default:
        break;
    }
    Measurement measurement;
    measurement.notion = notion;
    measurement.outcome = {Reason::kNone, ""};
    measurement.estimate = Estimate{.cycles = 1, .half_width = 0.01};
    measurement.copies = getpid();
    measurement.pages = bytes.size() > 1 ? bytes[1] : 0;
    return measurement;
  }

  static void send_from_worker(const std::string& bytes) {
    EXPECT_EQ(write(kSocket, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  Crew crew(std::size_t workers, std::chrono::nanoseconds stall_limit = 1h) {
    return Crew(std::vector<int>(workers, 0), prepare_, stall_limit);
  }
  void give(Crew& crew, Deed deed, std::uint8_t number = 0) {
    crew.give({++tickets_, Notion::kUnrolled, 1, 0, true, {{deed, number}}});
  }
  void poll(Crew& crew) {
    crew.poll(50ms, [this](Answer&& answer) {
      const std::uint64_t ticket = answer.ticket;
      EXPECT_TRUE(answers_.emplace(ticket, std::move(answer)).second) << "a second answer";
    });
  }
  void finish(Crew& crew) {
    while (!crew.idle()) poll(crew);
  }
  void expect_harness_fault(std::uint64_t ticket, const std::string& why) {
    ASSERT_THAT(answers_, Contains(Key(ticket)));
    const Measurement& measurement = answers_[ticket].measurement;
    EXPECT_EQ(measurement.outcome.reason, Reason::kHarnessFault);
    EXPECT_EQ(measurement.outcome.verdict(), Verdict::kFailed);
    EXPECT_THAT(measurement.outcome.detail, HasSubstr(why));
    EXPECT_THAT(answers_[ticket].text, testing::StartsWith(".byte 0x"));
  }
  /// Expects that the blocks of all tickets but this one were measured.
  void expect_the_rest_measured(std::uint64_t except) {
    EXPECT_EQ(answers_.size(), tickets_);
    for (const auto& [ticket, answer] : answers_) {
      if (ticket == except) continue;
      EXPECT_EQ(answer.measurement.outcome.verdict(), Verdict::kMeasured) << ticket;
    }
  }

  TemporaryFolder folder_;
  PrepareWork prepare_ = [this](int, const NoteWaiting& note_waiting) {
    return [this, note_waiting](const Task& task) {
      return work(task.block.bytes, task.notion, note_waiting);
    };
  };
  std::uint64_t tickets_ = 0;
  std::map<std::uint64_t, Answer> answers_;
};

TEST_F(CrewTest, EveryTaskIsAnsweredOnceWithItsText) {
  Crew crew = this->crew(3);
  for (int i = 0; i < 1000; ++i) {
    while (!crew.has_room()) poll(crew);
    give(crew, kAnswer, static_cast<std::uint8_t>(i));
  }
  finish(crew);
  expect_the_rest_measured(0);
  EXPECT_EQ(answers_[8].measurement.pages, 7);
  EXPECT_EQ(answers_[1].text, "add byte ptr [rax], al");
}

TEST_F(CrewTest, WorkersShareTheTasks) {
  Crew crew = this->crew(2);
  for (int i = 0; i < 20; ++i) give(crew, kAnswer);
  finish(crew);
  std::map<std::int64_t, int> by_process;
  for (const auto& [ticket, answer] : answers_) ++by_process[answer.measurement.copies];
  EXPECT_EQ(by_process.size(), 2U);
  EXPECT_THAT(by_process, testing::Not(Contains(Key(getpid()))));
}

TEST_F(CrewTest, ABlockThatEndsItsWorkerTwiceIsAHarnessFault) {
  const std::map<Deed, std::string> deeds = {{kCrash, "killed by signal 9"},
                                             {kExit, "ended with exit status 7"},
                                             {kSendRubbish, "sent an invalid answer"},
                                             {kSendAnotherTicket, "sent an invalid answer"}};
  for (const auto& [deed, why] : deeds) {
    answers_.clear();
    tickets_ = 0;
    Crew crew = this->crew(1);
    for (int i = 0; i < 50; ++i) give(crew, i == 20 ? deed : kAnswer);
    finish(crew);
    expect_harness_fault(21, why);
    expect_the_rest_measured(21);
  }
}

TEST_F(CrewTest, ABlockThatEndsItsWorkerOnceIsMeasured) {
  Crew crew = this->crew(1);
  for (int i = 0; i < 50; ++i) give(crew, i == 20 ? kCrashOnce : kAnswer);
  finish(crew);
  expect_the_rest_measured(0);
}

TEST_F(CrewTest, ManySuchBlocksInARowDoNotEndTheCampaign) {
  Crew crew = this->crew(1);
  for (int i = 0; i < 30; ++i) give(crew, kCrash);
  finish(crew);
  for (std::uint64_t ticket = 1; ticket <= 30; ++ticket) {
    expect_harness_fault(ticket, "killed by signal 9");
  }
}

TEST_F(CrewTest, AWorkerThatGivesNoSignOfLifeIsReplaced) {
  Crew crew = this->crew(1, 100ms);
  give(crew, kAnswer);
  give(crew, kHang);
  give(crew, kAnswer);
  finish(crew);
  expect_harness_fault(2, "gave no sign of life for 0.1 s");
  expect_the_rest_measured(2);
}

TEST_F(CrewTest, AWorkerThatWaitsForItsCoreIsNot) {
  Crew crew = this->crew(1, 500ms);
  give(crew, kWaitForCore);
  std::chrono::nanoseconds longest{};
  while (!crew.idle()) {
    poll(crew);
    longest = std::max(longest, crew.waiting());
  }
  EXPECT_EQ(answers_[1].measurement.outcome.verdict(), Verdict::kMeasured);
  EXPECT_GT(longest.count(), 0);
  EXPECT_EQ(crew.waiting().count(), 0) << "no block waits any more";
  EXPECT_EQ(crew.waited(), 1s);
}

TEST_F(CrewTest, NorIsAnIdleOneOrOneThatIsSlow) {
  Crew crew = this->crew(1, 500ms);
  give(crew, kAnswer);
  finish(crew);
  for (int i = 0; i < 15; ++i) poll(crew);
  const std::int64_t process = answers_[1].measurement.copies;
  for (int i = 0; i < 20; ++i) give(crew, kAnswerSlowly);
  finish(crew);
  EXPECT_EQ(answers_[21].measurement.copies, process);
}

TEST_F(CrewTest, WhileTheCampaignItselfIsStoppedNobodyStalls) {
  Crew crew = this->crew(1, 600ms);
  give(crew, kAnswer);
  finish(crew);
  const std::int64_t process = answers_[1].measurement.copies;
  give(crew, kHang);
  poll(crew);
  std::this_thread::sleep_for(800ms);
  poll(crew);
  EXPECT_EQ(answers_.size(), 1U);
  EXPECT_EQ(kill(static_cast<pid_t>(process), 0), 0) << "it is not replaced";
}

TEST_F(CrewTest, ALostWorkerOfSeveralIsReplaced) {
  Crew crew = this->crew(2);
  for (int i = 0; i < 40; ++i) give(crew, i == 3 ? kCrash : kAnswerSlowly);
  finish(crew);
  expect_harness_fault(4, "killed by signal 9");
  expect_the_rest_measured(4);
}

TEST_F(CrewTest, WhatAWorkerThrowsEndsTheCampaign) {
  Crew crew = this->crew(1);
  give(crew, kAnswer);
  give(crew, kThrow);
  try {
    finish(crew);
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(), "the clock fell off the wall");
  }
  EXPECT_THAT(answers_, Contains(Key(1))) << "what was found before counts";
}

TEST_F(CrewTest, SoDoesOneThatCannotGetReady) {
  prepare_ = [](int processor, const NoteWaiting&) -> Work {
    throw InputError("no processor " + std::to_string(processor));
  };
  Crew crew = this->crew(1);
  EXPECT_THROW(while (!crew.ready()) poll(crew), InputError);
}

TEST_F(CrewTest, WorkersThatDieAgainAndAgainEndTheCampaign) {
  prepare_ = [](int, const NoteWaiting&) -> Work { _exit(3); };
  Crew crew = this->crew(1);
  try {
    while (!crew.ready()) poll(crew);
    FAIL() << "nothing was thrown";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), HasSubstr("10 times"));
    EXPECT_THAT(error.what(), HasSubstr("ended with exit status 3"));
  }
}

TEST_F(CrewTest, EndTakesWhatWasSentAndLeavesNoWorker) {
  Crew crew = this->crew(2);
  give(crew, kAnswer);
  give(crew, kAnswer);
  finish(crew);
  give(crew, kHang);
  give(crew, kHang);
  poll(crew);
  crew.end([](Answer&&) { FAIL() << "nothing came of the blocks at hand"; });
  EXPECT_EQ(crew.workers(), 0U);
  for (const auto& [ticket, answer] : answers_) {
    EXPECT_EQ(kill(static_cast<pid_t>(answer.measurement.copies), 0), -1) << "it still runs";
  }
}

TEST_F(CrewTest, WhatAWorkerThrowsDoesNotKeepItFromItsEnd) {
  Crew crew = this->crew(1);
  give(crew, kAnswer);
  finish(crew);
  give(crew, kThrowWhenTold);
  poll(crew);
  folder_.write("told", "");
  siginfo_t info{};
  const auto worker = static_cast<id_t>(answers_[1].measurement.copies);
  ASSERT_EQ(waitid(P_PID, worker, &info, WEXITED | WNOWAIT), 0);
  crew.end([](Answer&&) { FAIL() << "nothing came of the block at hand"; });
  EXPECT_EQ(crew.workers(), 0U);
}

TEST_F(CrewTest, StartsOverWithOneNewWorker) {
  Crew crew = this->crew(3);
  for (int i = 0; i < 3; ++i) give(crew, kWaitForCore);
  finish(crew);
  EXPECT_EQ(crew.waited(), 1s);
  crew.start_over_with_one();
  EXPECT_EQ(crew.workers(), 1U);
  for (const auto& [ticket, answer] : answers_) {
    EXPECT_EQ(kill(static_cast<pid_t>(answer.measurement.copies), 0), -1) << "it still runs";
  }
  give(crew, kAnswer);
  finish(crew);
  EXPECT_EQ(crew.waited(), 1s);
  expect_the_rest_measured(0);
}

TEST_F(CrewTest, AWorkerHasNoDescriptorButItsOwn) {
  const std::string file = folder_.write("locked", "");
  const int descriptor = open(file.c_str(), O_RDONLY);
  prepare_ = [descriptor](int, const NoteWaiting&) {
    return [descriptor](const Task&) {
      Measurement measurement;
      measurement.copies = fcntl(descriptor, F_GETFD);
      return measurement;
    };
  };
  {
    Crew crew = this->crew(1);
    give(crew, kAnswer);
    finish(crew);
  }
  // The descriptor's number may be that of the worker's socket; no other descriptor is open in it.
  EXPECT_TRUE(descriptor == kSocket || answers_[1].measurement.copies == -1);
  close(descriptor);
}

TEST_F(CrewTest, WorkersLeaveSignalsToTheCampaign) {
  Crew crew = this->crew(1);
  give(crew, kAnswer);
  finish(crew);
  const auto process = static_cast<pid_t>(answers_[1].measurement.copies);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) kill(process, signal);
  give(crew, kAnswer);
  finish(crew);
  EXPECT_EQ(answers_[2].measurement.copies, process);
}

}  // namespace
}  // namespace assay
