#include "profiler/sampling/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "profiler/measurement/settings.h"
#include "profiler/sampling/reference.h"
#include "profiler/sampling/sampler.h"
#include "profiler/support/error.h"
#include "tests/profiler/sampling/synthetic_machine.h"

namespace assay {
namespace {

using testing::DoubleNear;

constexpr int kTimes = 6;
constexpr int kRounds = 8;
constexpr double kTolerated = 0.05;
// The middle size has half as many turns as the others.
constexpr std::int64_t kRunsInSeries = (2 * kTimes + (kTimes + 1) / 2) * kRounds;

/// A machine and the estimator that looks at it.
struct Bench {
  explicit Bench(SyntheticMachine::Conditions conditions, unsigned seed = 1)
      : machine(conditions, seed) {}

  SeriesFate add_series(bool preempted = false) {
    return estimator.add_series(machine.series(round, kRounds), preempted);
  }
  void add(int series) {
    for (int i = 0; i < series; ++i) add_series();
  }

  SyntheticMachine machine;
  Round round = interleaved_round(kTimes);
  Canary canary{SyntheticMachine::kAdditionsPerCycle};
  ClockRatio ratio;
  Estimator estimator{round,     SyntheticMachine::kCopies, SyntheticMachine::kStep, canary, ratio,
                      kTolerated};
};

TEST(Estimator, FindsTheCyclesAndTheRatio) {
  Bench bench({.cycles_per_copy = 2.5});
  bench.add(40);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2.5, 0.02));
  EXPECT_THAT(bench.estimator.core_cycles_per_tick(), DoubleNear(SyntheticMachine::kRatio, 0.01));
  EXPECT_THAT(bench.estimator.slowdown(), DoubleNear(0, 0.02));
}

TEST(Estimator, WarmUpTurnsDoNotCount) {
  // They take twice as long in the synthetic machine, and the value is right all the same; and they
  // are no runs.
  Bench bench({.cycles_per_copy = 2.5, .interrupted_runs = 0});
  bench.add(10);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2.5, 0.03));
  EXPECT_EQ(found.runs, 10 * kRunsInSeries);
  EXPECT_EQ(found.dropped, 0);
}

TEST(Estimator, InterruptedRunsAreDroppedAndCounted) {
  Bench bench({.interrupted_runs = 0.02});
  bench.add(40);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2, 0.02));
  EXPECT_GT(found.dropped, found.runs / 100);
  EXPECT_LT(found.dropped, found.runs / 20);
  EXPECT_EQ(found.runs + found.dropped, 40 * kRunsInSeries);
}

TEST(Estimator, ItsIntervalNarrowsWithTheSeries) {
  Bench bench({});
  bench.add(10);
  const double early = bench.estimator.estimate().half_width;
  bench.add(150);
  EXPECT_LT(bench.estimator.estimate().half_width, early / 2);
}

TEST(Estimator, TheRatiosErrorIsPartOfTheInterval) {
  // The block's readings, and the reference's from now on, are all the same.
  Bench bench({});
  for (int i = 0; i < 1000; ++i) bench.ratio.add({100, 200, 8, 0}, {2148, 200, 8, 0});
  std::vector<std::uint32_t> readings;
  for (const Turn& turn : bench.round) {
    constexpr std::array<std::uint32_t, kSlots> kTicks = {500, 1000, 2000, 100, 2148, 200, 500};
    readings.push_back(kTicks[static_cast<std::size_t>(turn.slot)]);
  }
  for (int i = 0; i < 8; ++i) bench.estimator.add_series(readings, false);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(5, 1e-9));
  EXPECT_THAT(found.half_width, DoubleNear(5 * 1.96 * bench.ratio.relative_error(), 1e-9));
  EXPECT_GT(found.half_width, 0);
}

TEST(Estimator, AMachineThatChangesItsSpeedWidensTheInterval) {
  Bench constant({});
  Bench changing({});
  for (int i = 0; i < 12; ++i) {
    changing.machine.conditions().cycles_per_copy = i % 2 == 0 ? 3 : 2;
    constant.add(1);
    changing.add(1);
  }
  EXPECT_GT(changing.estimator.estimate().half_width, 5 * constant.estimator.estimate().half_width);
  EXPECT_EQ(changing.estimator.series(), 12);
}

TEST(Estimator, AFewSeriesInAnotherStateAreLeftOut) {
  Bench bench({});
  for (int i = 0; i < 24; ++i) {
    bench.machine.conditions().cycles_per_copy = i % 6 == 0 ? 3.2 : 2;
    bench.add(1);
    if (i == 11) {
      EXPECT_EQ(bench.estimator.count(), 12) << "too early to tell";
      EXPECT_GT(bench.estimator.estimate().half_width, 0.1);
    }
  }
  EXPECT_EQ(bench.estimator.count(), 20);
  EXPECT_EQ(bench.estimator.series(), 24);
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.03));
  EXPECT_GE(bench.estimator.estimate().dropped, 4 * kRunsInSeries);
}

TEST(Estimator, ABlocksOwnScatterIsNotCut) {
  // One series in eight is further than 3 %, and than six of their own errors from the median.
  Bench bench({.cycles_per_copy = 30, .series_deviation = 0.02});
  for (int i = 1; i <= 200; ++i) {
    bench.add(1);
    EXPECT_GE(bench.estimator.count(), i - 2);
  }
}

TEST(Estimator, ABlockOfTwoStatesHardlyEverGetsANarrowInterval) {
  int looked = 0;
  int narrow = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    Bench bench({}, seed);
    std::mt19937 coin(seed);
    for (int i = 0; i < 60; ++i) {
      bench.machine.conditions().cycles_per_copy = coin() % 2 == 0 ? 2.4 : 2;
      bench.add(1);
      if (i < 5) continue;
      ++looked;
      narrow += is_narrow(bench.estimator.estimate(), 0.02, 0.02);
    }
  }
  // By chance the first series are all of one state, or four of twenty are of the other.
  EXPECT_LE(narrow, looked / 50);
}

TEST(Estimator, SeriesBesideABusyNeighbourAreDisturbed) {
  Bench bench({});
  bench.add(10);
  bench.machine.conditions().neighbour = 1.5;
  EXPECT_EQ(bench.add_series(), SeriesFate::kDisturbed);
  bench.machine.conditions().neighbour = 1;
  EXPECT_EQ(bench.add_series(), SeriesFate::kTaken);
  EXPECT_EQ(bench.estimator.series(), 11);
  EXPECT_EQ(bench.estimator.points().size(), 12);
  EXPECT_EQ(bench.estimator.points()[10].fate, SeriesFate::kDisturbed);
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.05));
  EXPECT_GE(bench.estimator.estimate().dropped, kRunsInSeries);
}

TEST(Estimator, PreemptedSeriesAreLeftOut) {
  Bench bench({.interrupted_runs = 0});
  bench.add(10);
  bench.machine.conditions().cycles_per_copy = 20;
  EXPECT_EQ(bench.add_series(true), SeriesFate::kPreempted);
  EXPECT_EQ(bench.estimator.series(), 10);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2, 0.05));
  EXPECT_EQ(found.runs, 10 * kRunsInSeries);
  EXPECT_EQ(found.dropped, kRunsInSeries);
}

TEST(Estimator, ASeriesAtAnotherFrequencyIsLeftOutAndTheNextIsScaledAnew) {
  Bench bench({});
  bench.add(20);
  bench.machine.conditions().frequency = 0.8;
  EXPECT_EQ(bench.add_series(), SeriesFate::kDrifted);
  EXPECT_EQ(bench.estimator.series(), 0) << "those before were scaled by another frequency";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(bench.add_series(), SeriesFate::kTaken) << i;
  EXPECT_EQ(bench.estimator.series(), 20);
  EXPECT_THAT(bench.estimator.points().back().ratio,
              DoubleNear(0.8 * SyntheticMachine::kRatio, 0.02));
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.03));
}

TEST(Estimator, AnUndisturbedMachineIsNeitherDisturbedNorDrifting) {
  // So few rounds as slow blocks have: their readings of a coarse clock are often all the same.
  SyntheticMachine machine({.interrupted_runs = 0}, 3);
  const Round round = interleaved_round(4);
  Canary canary(SyntheticMachine::kAdditionsPerCycle);
  ClockRatio ratio;
  Estimator estimator(round, SyntheticMachine::kCopies, SyntheticMachine::kStep, canary, ratio,
                      kTolerated);
  constexpr int kSeries = 2000;
  int drifted = 0;
  int disturbed = 0;
  for (int i = 0; i < kSeries; ++i) {
    const SeriesFate fate = estimator.add_series(machine.series(round, 3), false);
    drifted += fate == SeriesFate::kDrifted;
    disturbed += fate == SeriesFate::kDisturbed;
  }
  EXPECT_EQ(drifted, 0);
  EXPECT_LE(disturbed, kSeries / 20);
}

TEST(Estimator, ASlowDriftOfTheFrequencyIsFollowed) {
  Bench bench({});
  for (int i = 0; i < 200; ++i) {
    bench.machine.conditions().frequency *= 1 - 2e-5;
    bench.add(1);
  }
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.01));
}

TEST(Estimator, WhatStartsSlowlyIsNotSteady) {
  // From 100 to 200 copies half are slow, from there to 400 none.
  Bench bench({.slow_copies = 150});
  bench.add(40);
  const Steadiness found = bench.estimator.steadiness();
  EXPECT_THAT(found.near_cycles, DoubleNear(3, 0.05));
  EXPECT_THAT(found.far_cycles, DoubleNear(2, 0.05));
  EXPECT_LT(found.half_width, 0.1);
  EXPECT_THAT(found.near_share, DoubleNear(1.0 / 3, 1e-9));
}

TEST(Estimator, WhatIsSlowBeforeTheSmallestSizeEndsDropsOut) {
  Bench bench({.slow_copies = 90});
  bench.add(40);
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.02));
  const Steadiness found = bench.estimator.steadiness();
  EXPECT_THAT(found.near_cycles, DoubleNear(2, 0.05));
  EXPECT_THAT(found.far_cycles, DoubleNear(2, 0.05));
}

TEST(Estimator, RefusesHalfARound) {
  Bench bench({});
  EXPECT_THROW(bench.estimator.add_series(std::vector<std::uint32_t>{1, 2, 3}, false), Error);
}

TEST(Estimator, ASeriesThatWasLostWithTheCoreCountsForNothing) {
  Bench bench({});
  EXPECT_EQ(bench.estimator.add_series({}, false), SeriesFate::kPreempted);
  EXPECT_EQ(bench.estimator.series(), 0);
  EXPECT_EQ(bench.estimator.points().size(), 1);
}

TEST(StudentQuantile, IsThatOfTheTables) {
  EXPECT_THAT(student_quantile(5), DoubleNear(2.571, 0.025));
  EXPECT_THAT(student_quantile(10), DoubleNear(2.228, 0.005));
  EXPECT_THAT(student_quantile(30), DoubleNear(2.042, 0.001));
  EXPECT_THAT(student_quantile(1000), DoubleNear(1.962, 0.001));
}

TEST(SeriesFateTest, EachHasAName) {
  EXPECT_EQ(name(SeriesFate::kTaken), "taken");
  EXPECT_EQ(name(SeriesFate::kDisturbed), "disturbed");
  EXPECT_EQ(name(SeriesFate::kPreempted), "preempted");
  EXPECT_EQ(name(SeriesFate::kDrifted), "drifted");
}

/// How many of the intervals hold the truth that blocks get one after the other, on a core and by a
/// sampler that stops as soon as an interval is narrow.
struct Coverage {
  int held = 0;
  int all = 0;
  double series = 0;  ///< of a block, on average
};

Coverage coverage(SyntheticMachine::Conditions conditions, double drift,
                  const Round& round = interleaved_round(kTimes), int rounds = kRounds) {
  constexpr int kBlocks = 600;
  constexpr auto kTimeOfSeries = std::chrono::microseconds(100);
  Bench bench(conditions, 99);
  Settings settings;
  Sampler::Time now{};
  std::vector<std::uint32_t> readings;
  const auto source = [&] {
    now += kTimeOfSeries;
    bench.machine.conditions().frequency *= 1 + drift;
    readings = bench.machine.series(round, rounds);
    return SampledSeries{std::nullopt, readings, false};
  };
  Coverage found;
  for (int i = 0; i < kBlocks; ++i) {
    // Drifts up, then down again, so as to stay near the nominal frequency.
    if (i % 50 == 25) drift = -drift;
    Estimator estimator(round, SyntheticMachine::kCopies, SyntheticMachine::kStep, bench.canary,
                        bench.ratio, kTolerated);
    Sampler sampler(settings, {source, [&] { return now; }, [](std::chrono::nanoseconds) {}});
    sampler.run(estimator, std::chrono::seconds(5));
    const Estimate estimate = estimator.estimate();
    found.series += static_cast<double>(estimator.series()) / kBlocks;
    found.held += std::abs(estimate.cycles - conditions.cycles_per_copy) <= estimate.half_width;
    ++found.all;
  }
  return found;
}

void expect_honest(const Coverage& found) {
  EXPECT_GE(found.held, found.all * 92 / 100) << found.series << " series a block";
  // Those of blocks that take several series are wider on purpose: real series have more in common
  // than made-up ones.
  EXPECT_LE(found.held, found.all * 199 / 200) << found.series << " series a block";
}

TEST(Intervals, HoldTheTruthAboutAsOftenAsTheySay) {
  for (const double cycles : {0.25, 1.3, 7.7}) {
    SCOPED_TRACE(cycles);
    expect_honest(coverage({.cycles_per_copy = cycles}, 0));
  }
}

TEST(Intervals, HoldItWhereOneSeriesOfSeveralPlacesMayBeEnough) {
  for (const double cycles : {7.7, 40.0}) {
    SCOPED_TRACE(cycles);
    const Coverage found = coverage({.cycles_per_copy = cycles}, 0, interleaved_round(8, 8), 2);
    expect_honest(found);
    EXPECT_LT(found.series, 4);
  }
}

TEST(Intervals, HoldItOnACoreWhoseFrequencyDrifts) {
  expect_honest(coverage({.cycles_per_copy = 1.3}, 2e-6));
}

TEST(Intervals, HoldItForABlockWhoseSeriesDiffer) {
  for (const double deviation : {0.002, 0.01, 0.03}) {
    SCOPED_TRACE(deviation);
    expect_honest(coverage({.cycles_per_copy = 7.7, .series_deviation = deviation}, 0));
  }
}

}  // namespace
}  // namespace assay
