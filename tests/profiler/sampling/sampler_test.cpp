#include "profiler/sampling/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "profiler/support/error.h"

namespace assay {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::ElementsAre;

/// A sampling that gives series the fates that a test wants, and has enough after a number of them
/// were taken.
class ScriptedSampling : public Sampling {
 public:
  const SeriesPlan& series() const override { return series_; }
  SeriesFate add_series(const SampledSeries& series) override {
    if (!series.preempted) ++taken;
    return series.preempted ? SeriesFate::kPreempted : SeriesFate::kTaken;
  }
  std::optional<SamplingEnd> end(nanoseconds time) const override {
    spent.push_back(time);
    if (taken < wanted) return std::nullopt;
    return SamplingEnd::kEnough;
  }
  bool start_over() override {
    if (taken != starts_over_at) return false;
    starts_over_at = 0;
    taken = 0;
    return true;
  }
  std::span<const SeriesPoint> points() const override { return {}; }
  std::optional<Evaluation> evaluate() const override { return std::nullopt; }
  Outcome judge(const Evaluation&) const override { return {}; }
  Outcome judge_too_few() const override { return {}; }

  int taken = 0;
  int wanted = 3;
  int starts_over_at = -1;
  mutable std::vector<nanoseconds> spent;

 private:
  SeriesPlan series_;
};

/// Samples series that take a millisecond each.
class SamplerTest : public testing::Test {
 protected:
  SamplingResult run(nanoseconds patience = seconds(1)) {
    return sample(
        sampling_,
        {[this] {
           now_ += milliseconds(1);
           return next_(series_++);
         },
         [this] { return now_; }, [this](nanoseconds waited) { waits_.push_back(waited); }},
        patience);
  }

  static SampledSeries disturbed_if(bool disturbed) { return {std::nullopt, {}, disturbed}; }

  ScriptedSampling sampling_;
  /// Gives the series with a number, from 0.
  std::function<SampledSeries(int)> next_ = [](int) { return disturbed_if(false); };
  int series_ = 0;
  std::chrono::steady_clock::time_point now_{};
  std::vector<nanoseconds> waits_;
};

TEST_F(SamplerTest, GivesSeriesUntilThereAreEnough) {
  const SamplingResult result = run();
  EXPECT_EQ(result.end, SamplingEnd::kEnough);
  EXPECT_EQ(series_, 3);
  EXPECT_EQ(result.waited, nanoseconds(0));
  EXPECT_THAT(sampling_.spent, ElementsAre(milliseconds(1), milliseconds(2), milliseconds(3)));
  EXPECT_TRUE(waits_.empty());
}

TEST_F(SamplerTest, DisturbedSeriesAreWaitedAndNotSpent) {
  next_ = [](int i) { return disturbed_if(i % 2 == 0); };
  const SamplingResult result = run();
  EXPECT_EQ(series_, 6);
  EXPECT_EQ(result.waited, milliseconds(3));
  EXPECT_EQ(sampling_.spent.back(), milliseconds(3));
  EXPECT_THAT(waits_, ElementsAre(milliseconds(1), milliseconds(2), milliseconds(3)));
}

TEST_F(SamplerTest, LosesPatience) {
  next_ = [](int i) { return disturbed_if(i > 1); };
  const SamplingResult result = run(milliseconds(5));
  EXPECT_EQ(result.end, SamplingEnd::kPatience);
  EXPECT_EQ(series_, 7);
  EXPECT_EQ(run(nanoseconds(0)).end, SamplingEnd::kPatience);
  EXPECT_EQ(series_, 7) << "not one series without any patience";
}

TEST_F(SamplerTest, WhatIsStartedOverWasWaited) {
  sampling_.starts_over_at = 2;
  const SamplingResult result = run();
  EXPECT_EQ(result.end, SamplingEnd::kEnough);
  EXPECT_EQ(series_, 5);
  EXPECT_EQ(result.waited, milliseconds(2));
  EXPECT_EQ(sampling_.spent.back(), milliseconds(3));
  EXPECT_THAT(waits_, ElementsAre(milliseconds(2)));
}

TEST_F(SamplerTest, EndsAtAFault) {
  next_ = [](int i) {
    SampledSeries series = disturbed_if(false);
    if (i == 1) series.fault = subject::Fault{{Reason::kArithmeticFault, ""}};
    return series;
  };
  const SamplingResult result = run();
  EXPECT_EQ(result.end, SamplingEnd::kFault);
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->outcome.reason, Reason::kArithmeticFault);
  EXPECT_EQ(series_, 2);
}

}  // namespace
}  // namespace assay
