#include "profiler/protocol/fixed_sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <vector>

#include "profiler/sampling/reference.h"
#include "profiler/sampling/sampler.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kCopies = 100;
constexpr double kCyclesPerCopy = 3;
constexpr double kNopsPerCycle = 4;

/// Samples on a made-up core on which a tick is a cycle, with series that tests can spoil.
class FixedSamplingTest : public testing::Test {
 protected:
  std::vector<std::uint32_t> series(int rounds, double neighbour = 1) const {
    std::vector<std::uint32_t> readings;
    for (int i = 0; i < rounds; ++i) {
      for (const KernelRun& run : sampling_.series().round) {
        const double cold = run.counts ? 1 : 2;
        readings.push_back(static_cast<std::uint32_t>(80 + cold * cycles(run, neighbour)));
      }
    }
    return readings;
  }

  /// Samples `spoiled` series that a neighbour slows by this factor, then undisturbed series of 16
  /// rounds, which take a millisecond each.
  SamplingEnd run(int spoiled, double neighbour, std::chrono::nanoseconds patience) {
    return sample(sampling_,
                  {[this, spoiled, neighbour] {
                     readings_ = series(16, taken_++ < spoiled ? neighbour : 1);
                     return SampledSeries{std::nullopt, readings_, false};
                   },
                   [this] { return std::chrono::steady_clock::time_point(1ms * taken_); },
                   [this](std::chrono::nanoseconds waited) { waited_ = waited; }},
                  patience)
        .end;
  }

  FixedSampling sampling_above(double floor) {
    const FixedScale scale = {Copies(kCopies), Copies(2 * kCopies), CyclesPerReading(1), 0,
                              Reading(1)};
    return FixedSampling(recipe_, 16, scale, floor, companions_, 0.01);
  }

  bool complete() const { return sampling_.evaluate().has_value(); }

  std::vector<SeriesFate> fates() const {
    std::vector<SeriesFate> all;
    for (const SeriesPoint& point : sampling_.points()) all.push_back(point.fate);
    return all;
  }

  FixedRecipe recipe_ = bhive_recipe();
  Companions companions_{ReadingStep(Ticks(1)), Canary(kNopsPerCycle), ClockRatio(), 0.02};
  FixedSampling sampling_ = sampling_above(0);
  std::vector<std::uint32_t> readings_;
  int taken_ = 0;
  std::chrono::nanoseconds waited_{};

 private:
  static double cycles(const KernelRun& run, double neighbour) {
    constexpr std::array kReference = {kReferenceSmallCopies, kReferenceLargeCopies};
    constexpr std::array kCanary = {kCanarySmallCopies, kCanaryLargeCopies};
    switch (run.code) {
      case Code::kBlock:
        return static_cast<double>(run.size + 1) * kCopies * kCyclesPerCopy * neighbour;
      case Code::kReference:
        return kReference.at(run.size).real();
      case Code::kCanary:
        return (kCanary.at(run.size) * kCanaryNops).real() / kNopsPerCycle * neighbour;
    }
    ADD_FAILURE() << "a run of code outside its enumeration";
    return 0;
  }
};

TEST_F(FixedSamplingTest, TakesAsManyRunsAsTheRecipeAsksFor) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sampling_.add_series({{}, series(16), false}), SeriesFate::kTaken);
    EXPECT_FALSE(complete());
    EXPECT_EQ(sampling_.end(1ms), std::nullopt);
  }
  sampling_.add_series({{}, series(20), false});  // four rounds more than it asks for
  EXPECT_EQ(sampling_.end(1ms), SamplingEnd::kEnough);
  ASSERT_TRUE(complete());
  const Evaluation found = *sampling_.evaluate();
  EXPECT_THAT(found.estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
  EXPECT_EQ(found.timed.runs, 160);
  EXPECT_EQ(found.timed.dropped, 0);
  EXPECT_THAT(found.ratio.value(), DoubleNear(1, 1e-9));
  EXPECT_FALSE(found.steadiness);
  EXPECT_TRUE(sampling_.judge(found).measured());
}

TEST_F(FixedSamplingTest, RejectsWhatIsBelowTheFloor) {
  FixedSampling sampling = sampling_above(2 * kCyclesPerCopy);
  for (int i = 0; i < 5; ++i) sampling.add_series({{}, series(16), false});
  EXPECT_EQ(sampling.judge(sampling.evaluate().value()).reason, Reason::kBelowLimit);
}

TEST_F(FixedSamplingTest, DisturbedSeriesAreRepeated) {
  sampling_.add_series({{}, series(16, 1.5), false});
  sampling_.add_series({{}, series(16), true});
  for (int i = 0; i < 5; ++i) sampling_.add_series({{}, series(16), false});
  EXPECT_THAT(fates(), ElementsAre(SeriesFate::kDisturbed, SeriesFate::kPreempted,
                                   SeriesFate::kTaken, SeriesFate::kTaken, SeriesFate::kTaken,
                                   SeriesFate::kTaken, SeriesFate::kTaken));
  ASSERT_TRUE(complete());
  const Evaluation found = *sampling_.evaluate();
  EXPECT_THAT(found.estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
  EXPECT_EQ(found.timed.dropped, 64);
  EXPECT_THAT(found.slowdown, DoubleNear(0, 1e-9));
}

TEST_F(FixedSamplingTest, RunsUntilItIsComplete) {
  EXPECT_EQ(run(3, 1.5, 100ms), SamplingEnd::kEnough);
  EXPECT_EQ(taken_, 8);
  EXPECT_EQ(waited_, 3ms);
}

TEST_F(FixedSamplingTest, GivesUpWhenPatienceEnds) {
  EXPECT_EQ(run(1000, 1.5, 10ms), SamplingEnd::kPatience);
  EXPECT_EQ(taken_, 10);
  EXPECT_FALSE(complete());
  EXPECT_EQ(sampling_.judge_too_few().reason, Reason::kInterference);
  EXPECT_THAT(sampling_.judge_too_few().detail, HasSubstr("no 80 undisturbed runs"));
}

TEST_F(FixedSamplingTest, BeginsAnewIfAllOfItWasSlow) {
  // The slowdown is tolerated in each series, but not accepted over all of them.
  EXPECT_EQ(run(5, 1.015, 100ms), SamplingEnd::kEnough);
  EXPECT_EQ(taken_, 10);
  EXPECT_EQ(waited_, 5ms);
  EXPECT_THAT(sampling_.evaluate()->estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
}

TEST_F(FixedSamplingTest, SeriesOfSlowBlocksHaveFewerRounds) {
  EXPECT_EQ(fixed_rounds(recipe_, Cycles(1'000)), 16U);
  EXPECT_EQ(fixed_rounds(recipe_, Cycles(1e9)), 2U);
}

}  // namespace
}  // namespace assay
