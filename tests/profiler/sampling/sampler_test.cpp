#include "profiler/sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "tests/profiler/sampling/synthetic_machine.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::DoubleNear;

Settings settings_of(double target, milliseconds budget) {
  Settings settings;
  settings.target_relative = target;
  settings.target_cycles = 0;
  settings.sampling_budget = budget;
  settings.series_slowdown = 0.05;
  settings.accept_slowdown = 0.05;
  return settings;
}

constexpr double kEasy = 0.5;
constexpr double kUnattainable = 1e-9;

/// A sampler on a synthetic machine whose series take a millisecond each.
class SamplerTest : public testing::Test {
 protected:
  SamplingEnd run(const Settings& settings, nanoseconds patience = seconds(1)) {
    Sampler sampler(settings, {[&] { return next(); }, [&] { return now_; },
                               [&](nanoseconds waited) { waits_.push_back(waited); }});
    const SamplingEnd end = sampler.run(estimator_, patience);
    fault_ = sampler.fault();
    return end;
  }

  SampledSeries next() {
    now_ += milliseconds(1);
    preempted_ = false;
    neighbour_ = false;
    before_series_(series_++);
    if (faulty_) {
      subject::Fault fault{};
      fault.outcome.reason = Reason::kArithmeticFault;
      return {fault, {}, false};
    }
    machine_.conditions().neighbour = neighbour_ ? 1.5 : 1;
    readings_ = machine_.series(round_, 8);
    return {std::nullopt, readings_, preempted_};
  }

  /// Called with the number of each series, from 0, to decide what happens to it.
  std::function<void(int)> before_series_ = [](int) {};
  bool preempted_ = false;
  bool neighbour_ = false;
  bool faulty_ = false;
  int series_ = 0;
  Sampler::Time now_{};
  std::vector<nanoseconds> waits_;
  std::optional<subject::Fault> fault_;

  SyntheticMachine machine_{{}, 5};
  Round round_ = interleaved_round(6);
  Canary canary_{SyntheticMachine::kAdditionsPerCycle};
  ClockRatio ratio_;
  Estimator estimator_{round_, SyntheticMachine::kCopies, SyntheticMachine::kStep, canary_, ratio_,
                       0.05};
  std::vector<std::uint32_t> readings_;
};

TEST_F(SamplerTest, StopsAsSoonAsTheIntervalIsNarrowButNotBeforeSixSeries) {
  EXPECT_EQ(run(settings_of(kEasy, milliseconds(100))), SamplingEnd::kEnough);
  EXPECT_EQ(series_, 6);
  EXPECT_TRUE(waits_.empty());
}

TEST_F(SamplerTest, GoesOnUntilTheIntervalIsNarrow) {
  EXPECT_EQ(run(settings_of(0.002, seconds(10))), SamplingEnd::kEnough);
  EXPECT_GT(series_, kFewestPoints);
  const Estimate estimate = estimator_.estimate();
  EXPECT_LE(estimate.half_width, 0.002 * estimate.cycles);
}

TEST_F(SamplerTest, StopsWhenTheBudgetIsUsedUp) {
  EXPECT_EQ(run(settings_of(kUnattainable, milliseconds(30))), SamplingEnd::kBudget);
  EXPECT_EQ(series_, 30);
}

TEST_F(SamplerTest, TakesSixSeriesHoweverLongTheyTake) {
  EXPECT_EQ(run(settings_of(kUnattainable, milliseconds(0))), SamplingEnd::kBudget);
  EXPECT_EQ(series_, kFewestPoints);
}

TEST_F(SamplerTest, DisturbedSeriesDoNotSpendTheBudget) {
  before_series_ = [&](int i) {
    preempted_ = i % 4 == 1;
    neighbour_ = i % 4 == 2;
  };
  EXPECT_EQ(run(settings_of(kUnattainable, milliseconds(30))), SamplingEnd::kBudget);
  EXPECT_GE(series_, 58);  // half of them count
  EXPECT_EQ(static_cast<std::size_t>(series_) - waits_.size(), 30);
}

TEST_F(SamplerTest, LosesPatienceWithACoreThatStaysDisturbed) {
  before_series_ = [&](int i) { preempted_ = i >= 10; };
  EXPECT_EQ(run(settings_of(kUnattainable, seconds(1)), milliseconds(20)), SamplingEnd::kPatience);
  EXPECT_EQ(series_, 30) << "undisturbed time is not waited";
  EXPECT_EQ(estimator_.series(), 10);
}

TEST_F(SamplerTest, NeverHasFewerThanSixSeriesButOutOfPatience) {
  before_series_ = [&](int i) { preempted_ = i >= 5; };
  EXPECT_EQ(run(settings_of(kEasy, milliseconds(1)), milliseconds(20)), SamplingEnd::kPatience);
  EXPECT_EQ(estimator_.series(), 5);
}

TEST_F(SamplerTest, TellsHowLongItHasWaited) {
  before_series_ = [&](int i) { preempted_ = i == 2 || i == 4; };
  EXPECT_EQ(run(settings_of(kEasy, milliseconds(100))), SamplingEnd::kEnough);
  EXPECT_THAT(waits_, testing::ElementsAre(milliseconds(1), milliseconds(2)));
}

TEST_F(SamplerTest, EndsAtAFault) {
  before_series_ = [&](int i) { faulty_ = i == 3; };
  EXPECT_EQ(run(settings_of(kEasy, milliseconds(100))), SamplingEnd::kFault);
  ASSERT_TRUE(fault_);
  EXPECT_EQ(fault_->outcome.reason, Reason::kArithmeticFault);
  EXPECT_EQ(estimator_.series(), 3);
}

TEST_F(SamplerTest, ANarrowIntervalIsNotEnoughWithASlowCanary) {
  // Tolerated in each series, and not over all of them.
  Settings settings = settings_of(kEasy, milliseconds(30));
  settings.accept_slowdown = 0.01;
  canary_ = Canary(SyntheticMachine::kAdditionsPerCycle * 1.03);
  EXPECT_EQ(run(settings), SamplingEnd::kBudget);
  EXPECT_THAT(estimator_.slowdown(), DoubleNear(0.03, 0.015));
}

TEST(IsNarrow, TakesTheWiderOfTwoAllowances) {
  EXPECT_TRUE(is_narrow({10, 0.1, 0, 0}, 0.01, 0.05));
  EXPECT_FALSE(is_narrow({10, 0.101, 0, 0}, 0.01, 0.05));
  EXPECT_TRUE(is_narrow({1, 0.05, 0, 0}, 0.01, 0.05));
  EXPECT_FALSE(is_narrow({1, 0.051, 0, 0}, 0.01, 0.05));
}

}  // namespace
}  // namespace assay
