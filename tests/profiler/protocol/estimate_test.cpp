#include "profiler/protocol/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
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

/// A made-up machine: a clock of 26-tick steps read at a random phase, a fixed overhead, and
/// interrupts now and then.
class SyntheticMachine {
 public:
  SyntheticMachine(double cycles_per_copy, unsigned seed)
      : cycles_per_copy_(cycles_per_copy), random_(seed) {}

  static constexpr double kRatio = 1.421;
  static constexpr double kCopies = 100;
  static constexpr double kReference = 1000;
  static constexpr std::uint32_t kStep = 26;

  std::vector<std::uint32_t> series(int rounds, double slowdown = 1) {
    std::vector<std::uint32_t> readings;
    for (int i = 0; i < rounds; ++i) {
      readings.push_back(read(kCopies * cycles_per_copy_ * slowdown));
      readings.push_back(read(2 * kCopies * cycles_per_copy_ * slowdown));
      readings.push_back(read(kReference));
      readings.push_back(read(2 * kReference));
    }
    return readings;
  }

 private:
  std::uint32_t read(double cycles) {
    constexpr double kOverhead = 61;
    double ticks = (cycles + kOverhead) / kRatio;
    if (uniform_(random_) < 0.01) ticks += 20'000 * uniform_(random_);
    const double phase = kStep * uniform_(random_);
    return static_cast<std::uint32_t>(std::floor((phase + ticks) / kStep)) * kStep;
  }

  double cycles_per_copy_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

Estimator estimator() {
  return Estimator(
      {SyntheticMachine::kCopies, SyntheticMachine::kReference, SyntheticMachine::kStep});
}

TEST(Estimator, FindsTheCyclesAndTheRatio) {
  SyntheticMachine machine(2.5, 1);
  Estimator estimate = estimator();
  for (int i = 0; i < 20; ++i) estimate.add_series(machine.series(64));
  EXPECT_THAT(estimate.estimate().cycles, DoubleNear(2.5, 0.02));
  EXPECT_THAT(estimate.core_cycles_per_tick(), DoubleNear(SyntheticMachine::kRatio, 0.01));
  EXPECT_GT(estimate.estimate().dropped, 0);
}

TEST(Estimator, IntervalsHoldTheTruthAboutAsOftenAsTheySay) {
  int held = 0;
  constexpr int kTrials = 400;
  for (unsigned seed = 0; seed < kTrials; ++seed) {
    SyntheticMachine machine(1.3, seed);
    Estimator estimate = estimator();
    for (int i = 0; i < 8; ++i) estimate.add_series(machine.series(64));
    const Estimate found = estimate.estimate();
    held += std::abs(found.cycles - 1.3) <= found.half_width;
  }
  EXPECT_GE(held, kTrials * 92 / 100);
}

TEST(Estimator, AMachineThatChangesItsSpeedWidensTheInterval) {
  SyntheticMachine machine(2, 7);
  Estimator steady = estimator();
  Estimator changing = estimator();
  for (int i = 0; i < 12; ++i) {
    steady.add_series(machine.series(64));
    changing.add_series(machine.series(64, i % 3 == 0 ? 1.5 : 1));
  }
  EXPECT_GT(changing.estimate().half_width, 5 * steady.estimate().half_width);
}

TEST(Estimator, RefusesHalfARound) {
  Estimator estimate = estimator();
  EXPECT_THROW(estimate.add_series(std::vector<std::uint32_t>{1, 2, 3}), Error);
}

}  // namespace
}  // namespace assay
