#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "profiler/counting/self_test.h"
#include "profiler/machine/processor.h"
#include "tests/processor_at_hand.h"
#include "tests/profiler/running/simulated_core.h"
#include "tests/profiler/subject/rdpmc.h"

namespace assay {
namespace {

constexpr int kForGood = 1'000'000;  // so many lost series that no test sees their end

using testing::HasSubstr;

/// Runs the self-test on simulated counters that are read by each method.
class SelfTestRun : public testing::TestWithParam<ReadMethod> {
 protected:
  void SetUp() override {
    if (GetParam() == ReadMethod::kRdpmc && !rdpmc_faults()) {
      GTEST_SKIP() << "this system lets every process use RDPMC";
    }
    pin_to_processor(processor_);
  }

  std::string wrong() {
    return self_test(*core_.backend(), processor_, core_.emulator()).value_or("");
  }
  void replace(const std::string& event,
               const std::function<double(const SimulatedRun&, double)>& by) {
    core_.events[event] = [by, before = core_.events[event]](const SimulatedRun& run) {
      return by(run, before(run));
    };
  }

  const int processor_ = processor_at_hand();
  SimulatedCore core_{GetParam(), {0x90}, 1};
};

TEST_P(SelfTestRun, AcceptsCountersThatCountRight) {
  EXPECT_EQ(wrong(), "");
  EXPECT_EQ(core_.groups_opened(), 2);
}

TEST_P(SelfTestRun, FindsAnInstructionTooMany) {
  replace("instructions", [](const SimulatedRun& run, double count) {
    return count + (run.copies > 1000 ? 1 : 0);
  });
  EXPECT_THAT(wrong(), HasSubstr("of 1536 instructions that ran it counted 1537"));
}

TEST_P(SelfTestRun, FindsATimeStampCounterInDisguise) {
  core_.cycles = [before = core_.cycles](const SimulatedRun& run) { return before(run) / 1.43; };
  EXPECT_THAT(wrong(), HasSubstr("one core cycle it counted 0.699"));
}

TEST_P(SelfTestRun, FindsBranchesThatAreHalved) {
  replace("branches", [](const SimulatedRun&, double count) { return count / 2; });
  EXPECT_THAT(wrong(), HasSubstr("of 1536 branches that ran it counted 768"));
}

TEST_P(SelfTestRun, FindsInstructionsCountedAsBranches) {
  replace("branches", [](const SimulatedRun& run, double) { return run.copies; });
  EXPECT_THAT(wrong(), HasSubstr("of 0 branches that ran it counted 1536"));
}

TEST_P(SelfTestRun, FindsCyclesThatScatter) {
  core_.cycles = [before = core_.cycles](const SimulatedRun& run) {
    return before(run) * (1 + 0.1 * static_cast<double>(run.number / 50 % 3));
  };
  EXPECT_THAT(wrong(), HasSubstr("one core cycle"));
}

TEST_P(SelfTestRun, TriesAgainOnADisturbedMachine) {
  core_.cycles = [before = core_.cycles](const SimulatedRun& run) {
    return before(run) * (run.number < 100 ? 2 : 1);
  };
  EXPECT_EQ(wrong(), "");
}

TEST_P(SelfTestRun, FindsCountersThatDoNotCountTogether) {
  core_.events_in_group = 1;
  EXPECT_THAT(wrong(), HasSubstr("at the same time"));
}

TEST_P(SelfTestRun, ACounterThatIsScheduledOutIsAnError) {
  core_.lost_series = kForGood;
  EXPECT_THROW(wrong(), CounterError);
}

INSTANTIATE_TEST_SUITE_P(Counters, SelfTestRun,
                         testing::Values(ReadMethod::kRdpmc, ReadMethod::kAround),
                         [](const auto& method) {
                           return method.param == ReadMethod::kRdpmc ? "Rdpmc" : "Around";
                         });

class RdpmcSelfTestRun : public SelfTestRun {};

TEST_P(RdpmcSelfTestRun, LeavesOutWhatIsLostWithTheCore) {
  core_.on_run = [&](const SimulatedRun& run) {
    if (run.number % 500 == 0) core_.touch();
  };
  EXPECT_EQ(wrong(), "");
}

TEST_P(RdpmcSelfTestRun, ACoreThatIsAlwaysLostIsAnError) {
  core_.on_run = [&](const SimulatedRun&) { core_.touch(); };
  EXPECT_THROW(wrong(), CounterError);
}

TEST_P(RdpmcSelfTestRun, ACounterThatMayNotBeReadIsAnError) {
  core_.first_index = 0;
  EXPECT_THROW(wrong(), CounterError);
}

INSTANTIATE_TEST_SUITE_P(Counters, RdpmcSelfTestRun, testing::Values(ReadMethod::kRdpmc),
                         [](const auto&) { return "Rdpmc"; });

}  // namespace
}  // namespace assay
