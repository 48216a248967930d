#include "profiler/protocol/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "profiler/block/error.h"

namespace assay {
namespace {

using testing::DoubleNear;

TEST(RobustMean, KeepsBothValuesOfACoarseClock) {
  // A duration of 110 ticks read by a clock that steps by 26: 104 or 130, by phase.
  std::vector<std::uint32_t> readings(1000, 104);
  for (std::size_t i = 0; i < 231; ++i) readings[i] = 130;
  const SampleMean mean = robust_mean(readings, 26);
  EXPECT_THAT(mean.mean, DoubleNear(110, 0.01));
  EXPECT_EQ(mean.dropped, 0);
}

TEST(RobustMean, KeepsBothValuesOfAScaledClock) {
  // Steps of 26 and 27 ticks, one reading in twenty a step up.
  std::vector<std::uint32_t> readings(1000, 369);
  for (std::size_t i = 0; i < 50; ++i) readings[i] = 396;
  EXPECT_EQ(robust_mean(readings, 26).dropped, 0);
}

TEST(RobustMean, DropsFarOutliersOnly) {
  std::vector<std::uint32_t> readings(100, 104);
  readings[0] = 130;
  readings[1] = 50'000;  // an interrupt
  readings[2] = 104 + 3 * 26 + 1;
  readings[3] = 104 + 3 * 26;
  const SampleMean mean = robust_mean(readings, 26);
  EXPECT_EQ(mean.kept, 98);
  EXPECT_EQ(mean.dropped, 2);
  EXPECT_THAT(mean.mean, DoubleNear(104 + (26 + 78) / 98.0, 1e-9));
}

TEST(RobustMean, VarianceIsThatOfTheMean) {
  const std::vector<std::uint32_t> readings = {100, 102, 104, 106};
  // Sample variance 20/3, over four readings.
  EXPECT_THAT(robust_mean(readings, 1).variance, DoubleNear(20.0 / 3 / 4, 1e-9));
}

TEST(RobustMean, OneReadingHasNoScatter) {
  const SampleMean mean = robust_mean(std::vector<std::uint32_t>{104}, 26);
  EXPECT_EQ(mean.mean, 104);
  EXPECT_EQ(mean.kept, 1);
}

/// A made-up machine: a clock of 26-tick steps read at a random phase, a fixed overhead, interrupts
/// now and then, and a neighbour that takes integer units away.
class SyntheticMachine {
 public:
  SyntheticMachine(double cycles_per_copy, unsigned seed)
      : cycles_per_copy_(cycles_per_copy), random_(seed) {}

  static constexpr double kRatio = 1.421;
  static constexpr double kCopies = 100;
  static constexpr std::uint32_t kStep = 26;

  /// `slowdown` of the block, `neighbour` of the canary, in rounds `from` to `to`.
  std::vector<std::uint32_t> series(int rounds, double slowdown = 1, double neighbour = 1,
                                    int from = 0, int to = 1000) {
    std::vector<std::uint32_t> readings;
    for (int round = 0; round < rounds; ++round) {
      const bool disturbed = round >= from && round < to;
      for (const Turn& turn : kRound) {
        const double cold = turn.counts ? 1 : 2;
        readings.push_back(
            read(cold * cycles(turn.slot, disturbed ? slowdown : 1, disturbed ? neighbour : 1)));
      }
    }
    return readings;
  }

  static Estimator::Sizes sizes() { return {kCopies, 1000, 250, 1200, 2400, kStep}; }

 private:
  double cycles(Slot slot, double slowdown, double neighbour) const {
    switch (slot) {
      case Slot::kSmall:
        return kCopies * cycles_per_copy_ * slowdown;
      case Slot::kLarge:
        return 2 * kCopies * cycles_per_copy_ * slowdown;
      case Slot::kReferenceSmall:
        return 250;
      case Slot::kReferenceLarge:
        return 1250;
      case Slot::kCanarySmall:
        return 600 * neighbour / 4;
      case Slot::kCanaryLarge:
        return 1800 * neighbour / 4;
    }
    return 0;
  }

  std::uint32_t read(double cycles) {
    constexpr double kOverhead = 84;
    double ticks = (cycles + kOverhead) / kRatio;
    if (uniform_(random_) < 0.01) ticks += 20'000 * uniform_(random_);
    const double phase = kStep * uniform_(random_);
    return static_cast<std::uint32_t>(std::floor((phase + ticks) / kStep)) * kStep;
  }

  double cycles_per_copy_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

constexpr int kRounds = 32;
constexpr double kTolerated = 0.06;

class EstimatorTest : public testing::Test {
 protected:
  Canary canary_{4};
  Estimator estimator_{SyntheticMachine::sizes(), canary_, kTolerated};
};

TEST_F(EstimatorTest, FindsTheCyclesAndTheRatio) {
  SyntheticMachine machine(2.5, 1);
  for (int i = 0; i < 40; ++i) estimator_.add_series(machine.series(kRounds));
  EXPECT_THAT(estimator_.estimate().cycles, DoubleNear(2.5, 0.01));
  EXPECT_THAT(estimator_.core_cycles_per_tick(), DoubleNear(SyntheticMachine::kRatio, 0.005));
  EXPECT_THAT(estimator_.slowdown(), DoubleNear(0, 0.01));
  EXPECT_GT(estimator_.estimate().dropped, 0);
  EXPECT_LT(estimator_.estimate().dropped, estimator_.estimate().runs / 20);
}

TEST_F(EstimatorTest, WarmUpTurnsDoNotCount) {
  // They take twice as long in the synthetic machine, and the value is right all the same; and they
  // are no runs: four pairs in each of 32 rounds.
  SyntheticMachine machine(2.5, 2);
  for (int i = 0; i < 10; ++i) estimator_.add_series(machine.series(kRounds));
  const Estimate estimate = estimator_.estimate();
  EXPECT_EQ(estimate.runs + estimate.dropped, 10 * kRounds * 8);
}

TEST(Estimator, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  int held = 0;
  constexpr int kTrials = 400;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    SyntheticMachine machine(1.3, seed);
    Canary canary(4);
    Estimator estimator(SyntheticMachine::sizes(), canary, kTolerated);
    for (int i = 0; i < 6; ++i) estimator.add_series(machine.series(kRounds));
    const Estimate found = estimator.estimate();
    held += std::abs(found.cycles - 1.3) <= found.half_width;
  }
  EXPECT_GE(held, kTrials * 93 / 100);
  EXPECT_LE(held, kTrials * 99 / 100);
}

TEST_F(EstimatorTest, AMachineThatChangesItsSpeedWidensTheInterval) {
  SyntheticMachine machine(2, 7);
  Estimator changing(SyntheticMachine::sizes(), canary_, kTolerated);
  for (int i = 0; i < 12; ++i) {
    estimator_.add_series(machine.series(kRounds));
    changing.add_series(machine.series(kRounds, i % 2 == 0 ? 1.5 : 1));
  }
  EXPECT_GT(changing.estimate().half_width, 5 * estimator_.estimate().half_width);
  EXPECT_EQ(changing.series(), 12);
}

TEST_F(EstimatorTest, AFewSeriesInAnotherStateAreLeftOut) {
  SyntheticMachine machine(2, 8);
  for (int i = 0; i < 24; ++i) {
    estimator_.add_series(machine.series(kRounds, i % 6 == 0 ? 1.6 : 1));
    if (i == 11) {
      EXPECT_EQ(estimator_.series(), 12) << "too early to tell";
      EXPECT_GT(estimator_.estimate().half_width, 0.1);
    }
  }
  EXPECT_EQ(estimator_.series(), 20);
  EXPECT_THAT(estimator_.estimate().cycles, DoubleNear(2, 0.03));
  EXPECT_GE(estimator_.estimate().dropped, 4 * kRounds * 8);
}

TEST_F(EstimatorTest, ABlockOfTwoStatesHardlyEverGetsANarrowInterval) {
  int looked = 0;
  int narrow = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    SyntheticMachine machine(2, seed);
    std::mt19937 coin(seed);
    Estimator estimator(SyntheticMachine::sizes(), canary_, kTolerated);
    for (int i = 0; i < 60; ++i) {
      estimator.add_series(machine.series(kRounds, coin() % 2 == 0 ? 1.2 : 1));
      if (i < 5) continue;
      const Estimate estimate = estimator.estimate();
      ++looked;
      narrow += estimate.half_width <= 0.02 * estimate.cycles;
    }
  }
  // By chance the first series are all of one state, or four of twenty are of the other.
  EXPECT_LE(narrow, looked / 50);
}

TEST_F(EstimatorTest, SeriesBesideABusyNeighbourAreNotTakenIn) {
  SyntheticMachine machine(2, 9);
  EXPECT_TRUE(estimator_.add_series(machine.series(kRounds)));
  EXPECT_FALSE(estimator_.add_series(machine.series(kRounds, 1.5, 1.5)));
  EXPECT_EQ(estimator_.series(), 1);
}

TEST_F(EstimatorTest, RoundsBesideABusyNeighbourAreLeftOut) {
  SyntheticMachine machine(2, 10);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(estimator_.add_series(machine.series(kRounds, 1.5, 1.5, 16, 24)));
  }
  EXPECT_THAT(estimator_.estimate().cycles, DoubleNear(2, 0.03));
  EXPECT_GE(estimator_.estimate().dropped, 20 * 8 * 8);
}

TEST_F(EstimatorTest, RefusesHalfARound) {
  EXPECT_THROW(estimator_.add_series(std::vector<std::uint32_t>{1, 2, 3}), Error);
  EXPECT_THROW(estimator_.add_series({}), Error);
}

TEST(Canary, KnowsItsPeak) {
  const Canary canary(4);
  EXPECT_THAT(canary.slowdown(0.25), DoubleNear(0, 1e-9));
  EXPECT_THAT(canary.slowdown(0.375), DoubleNear(0.5, 1e-9));
}

TEST(Canary, LearnsItsPeakFromTheFastestTenth) {
  Canary canary(std::nullopt);
  for (int i = 0; i < 100; ++i) canary.learn(i < 85 ? 0.4 : 0.2);
  EXPECT_THAT(canary.peak(), DoubleNear(0.2, 0.002));
  EXPECT_THAT(canary.slowdown(0.3), DoubleNear(0.5, 0.02));
}

TEST(Canary, IgnoresWhatIsNoRate) {
  Canary canary(std::nullopt);
  canary.learn(0.25);
  for (int i = 0; i < 50; ++i) {
    canary.learn(-1);
    canary.learn(std::numeric_limits<double>::quiet_NaN());
  }
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 0.002));
}

TEST(Canary, HasNoNumberForAnInfiniteRate) {
  Canary canary(std::nullopt);
  canary.learn(0.25);
  canary.learn(std::numeric_limits<double>::infinity());
  EXPECT_THAT(canary.peak(), DoubleNear(0.25, 0.002));
}

}  // namespace
}  // namespace assay
