#include "profiler/protocol/fixed_sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "profiler/sampling/reference.h"

namespace assay {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;
using testing::ElementsAre;

constexpr double kCopies = 100;
constexpr double kCyclesPerCopy = 3;
constexpr double kAdditionsPerCycle = 4;

/// A made-up core of which a tick is a cycle, with series that tests can spoil.
class FixedSamplingTest : public testing::Test {
 protected:
  std::vector<std::uint32_t> series(int rounds, double neighbour = 1) const {
    std::vector<std::uint32_t> readings;
    for (int i = 0; i < rounds; ++i) {
      for (const Turn& turn : sampling_.round()) {
        const double cold = turn.counts ? 1 : 2;
        readings.push_back(static_cast<std::uint32_t>(80 + cold * cycles(turn.slot, neighbour)));
      }
    }
    return readings;
  }

  /// Gives `spoiled` series beside a neighbour, then undisturbed ones of 16 rounds, at a
  /// millisecond each.
  Sampler::Environment environment(int spoiled, double neighbour) {
    return {[this, spoiled, neighbour] {
              readings_ = series(16, taken_++ < spoiled ? neighbour : 1);
              return SampledSeries{std::nullopt, readings_, false};
            },
            [this] { return Sampler::Time(1ms * taken_); },
            [this](Sampler::Nanoseconds waited) { waited_ = waited; }};
  }

  std::vector<SeriesFate> fates() const {
    std::vector<SeriesFate> all;
    for (const SeriesPoint& point : sampling_.points()) all.push_back(point.fate);
    return all;
  }

  FixedProtocol protocol_ = fixed_protocol(default_settings("bhive")).value();
  Canary canary_{kAdditionsPerCycle};
  ClockRatio ratio_;
  FixedSampling sampling_{protocol_, FixedScale{kCopies, 2 * kCopies, 1, 0, 1},
                          Companions(1, canary_, ratio_, 0.02)};
  std::vector<std::uint32_t> readings_;
  int taken_ = 0;
  Sampler::Nanoseconds waited_{};

 private:
  static double cycles(Slot slot, double neighbour) {
    switch (slot) {
      case Slot::kHalf:
        return kCopies * kCyclesPerCopy * neighbour;
      case Slot::kFull:
        return 2 * kCopies * kCyclesPerCopy * neighbour;
      case Slot::kReferenceSmall:
        return kReferenceSmallCopies;
      case Slot::kReferenceLarge:
        return kReferenceLargeCopies;
      case Slot::kCanarySmall:
        return kCanaryAdditions * kCanarySmallCopies / kAdditionsPerCycle * neighbour;
      case Slot::kCanaryLarge:
        return kCanaryAdditions * kCanaryLargeCopies / kAdditionsPerCycle * neighbour;
      case Slot::kQuarter:
        break;
    }
    ADD_FAILURE() << "a round of a fixed protocol has two sizes";
    return 0;
  }
};

TEST_F(FixedSamplingTest, TakesAsManyRunsAsTheProtocolAsksFor) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(sampling_.add_series(series(16), false), SeriesFate::kTaken);
    EXPECT_FALSE(sampling_.complete());
  }
  sampling_.add_series(series(20), false);  // four more than it asks for
  EXPECT_TRUE(sampling_.complete());
  const FixedEstimate found = sampling_.estimate();
  EXPECT_THAT(found.estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
  EXPECT_EQ(found.estimate.runs, 160);
  EXPECT_EQ(found.estimate.dropped, 0);
  EXPECT_THAT(sampling_.core_cycles_per_tick(), DoubleNear(1, 1e-9));
}

TEST_F(FixedSamplingTest, DisturbedSeriesAreRepeated) {
  sampling_.add_series(series(16, 1.5), false);
  sampling_.add_series(series(16), true);
  for (int i = 0; i < 5; ++i) sampling_.add_series(series(16), false);
  EXPECT_THAT(fates(), ElementsAre(SeriesFate::kDisturbed, SeriesFate::kPreempted,
                                   SeriesFate::kTaken, SeriesFate::kTaken, SeriesFate::kTaken,
                                   SeriesFate::kTaken, SeriesFate::kTaken));
  ASSERT_TRUE(sampling_.complete());
  EXPECT_THAT(sampling_.estimate().estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
  EXPECT_EQ(sampling_.estimate().estimate.dropped, 64);
  EXPECT_THAT(sampling_.slowdown(), DoubleNear(0, 1e-9));
}

TEST_F(FixedSamplingTest, RunsUntilItIsComplete) {
  EXPECT_EQ(sampling_.run(environment(3, 1.5), 100ms, 0.02), SamplingEnd::kEnough);
  EXPECT_EQ(taken_, 8);
  EXPECT_EQ(waited_, 3ms);
}

TEST_F(FixedSamplingTest, GivesUpWhenPatienceEnds) {
  EXPECT_EQ(sampling_.run(environment(1000, 1.5), 10ms, 0.02), SamplingEnd::kPatience);
  EXPECT_EQ(taken_, 10);
  EXPECT_FALSE(sampling_.complete());
}

TEST_F(FixedSamplingTest, BeginsAnewIfAllOfItWasSlow) {
  // Each series is within what is tolerated of one, and all of them are beyond what is accepted.
  EXPECT_EQ(sampling_.run(environment(5, 1.015), 100ms, 0.01), SamplingEnd::kEnough);
  EXPECT_EQ(taken_, 10);
  EXPECT_EQ(waited_, 5ms);
  EXPECT_THAT(sampling_.estimate().estimate.cycles, DoubleNear(kCyclesPerCopy, 1e-9));
}

TEST_F(FixedSamplingTest, AFaultEndsIt) {
  const Sampler::Environment faulting = {[] {
                                           return SampledSeries{subject::Fault{}, {}, false};
                                         },
                                         [] { return Sampler::Time(); },
                                         [](Sampler::Nanoseconds) {}};
  EXPECT_EQ(sampling_.run(faulting, 100ms, 0.02), SamplingEnd::kFault);
  EXPECT_TRUE(sampling_.fault());
}

TEST_F(FixedSamplingTest, SeriesOfSlowBlocksHaveFewerRounds) {
  EXPECT_EQ(fixed_rounds(protocol_, 1'000), 16U);
  EXPECT_EQ(fixed_rounds(protocol_, 1e9), 2U);
}

}  // namespace
}  // namespace assay
