#include "profiler/sampling/estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "profiler/sampling/reference.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"
#include "tests/profiler/sampling/synthetic_machine.h"

namespace assay {
namespace {

using testing::DoubleNear;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

constexpr int kTimes = 6;
constexpr int kRounds = 8;
constexpr double kTolerated = 0.05;
constexpr std::int64_t kRunsInSeries = std::int64_t{kMostSizes} * kTimes * kRounds;

/// A synthetic machine, and the estimator that is given its readings.
struct Bench {
  explicit Bench(SyntheticMachine::Conditions conditions, unsigned seed = 1)
      : machine(conditions, seed) {}

  SeriesFate add_series(bool preempted = false) {
    return estimator.add_series(round, machine.series(round, kRounds), preempted);
  }
  void add(int series) {
    for (int i = 0; i < series; ++i) add_series();
  }

  SyntheticMachine machine;
  Round round = interleaved_round(Plan{}, kTimes);
  Companions companions = machine.companions(kTolerated);
  Estimator estimator{SyntheticMachine::kSizes, companions};
};

TEST(Estimator, FindsTheCyclesAndTheRatio) {
  Bench bench({.cycles_per_copy = 2.5});
  bench.add(40);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2.5, 0.02));
  EXPECT_THAT(bench.estimator.ratio().value(), DoubleNear(SyntheticMachine::kRatio, 0.01));
  EXPECT_THAT(bench.estimator.slowdown(), DoubleNear(0, 0.02));
}

TEST(Estimator, WarmUpsDoNotCount) {
  // Warm-ups take twice as long on the synthetic machine, but do not change the value, and do not
  // count as runs.
  Bench bench({.cycles_per_copy = 2.5, .interrupted_runs = 0, .clock = {.step = Ticks(1)}});
  bench.add(10);
  const TimedRuns timed = bench.estimator.timed_runs();
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2.5, 0.03));
  EXPECT_EQ(timed.runs, 10 * kRunsInSeries);
  EXPECT_EQ(timed.dropped, 0);
}

TEST(Estimator, InterruptedRunsAreDroppedAndCounted) {
  Bench bench({.interrupted_runs = 0.02});
  bench.add(40);
  const TimedRuns timed = bench.estimator.timed_runs();
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.02));
  EXPECT_GT(timed.dropped, timed.runs / 100);
  EXPECT_LT(timed.dropped, timed.runs / 20);
  EXPECT_EQ(timed.runs + timed.dropped, 40 * kRunsInSeries);
}

TEST(Estimator, ItsIntervalNarrowsWithTheSeries) {
  Bench bench({});
  bench.add(10);
  const double early = bench.estimator.estimate().half_width;
  bench.add(150);
  EXPECT_LT(bench.estimator.estimate().half_width, early / 2);
}

TEST(Estimator, TheRatiosErrorIsPartOfTheInterval) {
  // All readings of the block, and those of the reference from now on, are the same.
  Bench bench({});
  ClockRatio ratio;
  for (int i = 0; i < 1000; ++i) {
    ratio.add({Reading(100), 200, 8, 0}, {Reading(100 + kReferenceCycles.count()), 200, 8, 0});
  }
  bench.companions = {ReadingStep(SyntheticMachine::kStep), Canary(SyntheticMachine::kNopsPerCycle),
                      ratio, kTolerated};
  Readings readings;
  for (const KernelRun& run : bench.round) {
    constexpr std::array<std::uint32_t, kMostSizes> kBlock = {500, 1000, 2000};
    constexpr std::array<std::uint32_t, kCompanionSizes> kReference = {
        100, 100 + static_cast<std::uint32_t>(kReferenceAddedCopies.count())};
    constexpr std::array<std::uint32_t, kCompanionSizes> kCanary = {200, 350};
    readings.push_back(run.code == Code::kBlock       ? kBlock.at(run.size)
                       : run.code == Code::kReference ? kReference.at(run.size)
                                                      : kCanary.at(run.size));
  }
  for (int i = 0; i < 8; ++i) bench.estimator.add_series(bench.round, readings, false);
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(5, 1e-9));
  const double error = bench.companions.ratio().relative_error();
  EXPECT_GT(error, 0);
  Companions known = {ReadingStep(SyntheticMachine::kStep), Canary(SyntheticMachine::kNopsPerCycle),
                      ClockRatio(CyclesPerReading(1)), kTolerated};
  Estimator certain(SyntheticMachine::kSizes, known);
  for (int i = 0; i < 8; ++i) certain.add_series(bench.round, readings, false);
  // The clock's step is left. Over eight series, the error is about the same.
  EXPECT_NEAR(std::hypot(certain.estimate().half_width, 5 * kNormalQuantile * error),
              found.half_width, 0.3 * 5 * error);
  EXPECT_GT(found.half_width, certain.estimate().half_width);
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
    if (i == 6) {
      EXPECT_EQ(bench.estimator.count(), 7) << "too early to tell";
      EXPECT_GT(bench.estimator.estimate().half_width, 0.1);
    }
  }
  EXPECT_EQ(bench.estimator.count(), 20);
  EXPECT_EQ(bench.estimator.series(), 24);
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.03));
  EXPECT_GE(bench.estimator.timed_runs().dropped, 4 * kRunsInSeries);
}

TEST(Estimator, UnseenDisturbancesAreLeftOutButAStateIsNot) {
  // Two series in five are slower: by as much as it happens to be, or always alike.
  for (const bool scattered : {true, false}) {
    SCOPED_TRACE(scattered);
    Bench bench({});
    constexpr int kSeries = 30;
    for (int i = 0; i < kSeries; ++i) {
      const double slow = scattered ? 2.2 + 0.05 * i : 2.5;
      bench.machine.conditions().cycles_per_copy = i % 5 < 2 ? slow : 2;
      bench.add(1);
    }
    const Estimate found = bench.estimator.estimate();
    if (scattered) {
      EXPECT_EQ(bench.estimator.count(), kSeries * 3 / 5);
      EXPECT_THAT(found.cycles, DoubleNear(2, 0.03));
    } else {
      EXPECT_EQ(bench.estimator.count(), kSeries);
      EXPECT_GT(found.half_width, 0.05);
    }
  }
}

TEST(Estimator, WhatIsQuickerThanTheRestIsNoDisturbance) {
  Bench bench({});
  for (int i = 0; i < 30; ++i) {
    bench.machine.conditions().cycles_per_copy = i % 5 < 2 ? 1.8 - 0.03 * i : 2;
    bench.add(1);
  }
  EXPECT_EQ(bench.estimator.count(), 30);
  EXPECT_GT(bench.estimator.estimate().half_width, 0.05);
}

TEST(Estimator, AStratumThatIsSlowEachTimeBelongsToTheMean) {
  SyntheticMachine machine({.interrupted_runs = 0}, 1);
  Companions companions = machine.companions(kTolerated);
  constexpr std::size_t kStrata = 4;
  Estimator estimator(SyntheticMachine::kSizes, companions, kStrata);
  const Round round = interleaved_round(Plan{}, kTimes);
  EXPECT_FALSE(estimator.is_ready());
  for (int i = 0; i < 24; ++i) {
    const std::size_t stratum = estimator.next_stratum();
    EXPECT_EQ(stratum, static_cast<std::size_t>(i) % kStrata) << "in turn";
    machine.conditions().cycles_per_copy = stratum == 0 ? 2.4 : 2;
    estimator.add_series(round, machine.series(round, kRounds), false, stratum);
    EXPECT_EQ(estimator.is_ready(), i >= 3) << "one of each is enough";
    EXPECT_EQ(estimator.is_balanced(), i % 4 == 3);
    if (i == 7) {
      EXPECT_TRUE(estimator.is_doubtful()) << "it may be chance";
    }
  }
  EXPECT_FALSE(estimator.is_doubtful());
  EXPECT_EQ(estimator.count(), 24);
  EXPECT_THAT(estimator.estimate().cycles, DoubleNear(2.1, 0.02));
  EXPECT_LT(estimator.estimate().half_width, 0.05) << "strata that differ are no scatter";
}

/// The half-widths of blocks, one after the other on one core, whose first series of each of four
/// strata they rest on. The last one's series differ as given, and may be judged as if there had
/// been no others; its readings are the same in any case.
std::vector<double> half_widths(int blocks, double deviation_of_last, bool forget_others = false) {
  SyntheticMachine machine({.interrupted_runs = 0, .clock = {.stamps = 5}}, 1);
  Companions companions = machine.companions(kTolerated);
  constexpr std::size_t kStrata = 4;
  const Round round = interleaved_round(Plan{}, kTimes);
  std::vector<double> found;
  for (int block = 1; block <= blocks; ++block) {
    if (block == blocks) machine.conditions().series_deviation = deviation_of_last;
    if (block == blocks && forget_others) companions = machine.companions(kTolerated);
    Estimator estimator(SyntheticMachine::kSizes, companions, kStrata);
    while (!estimator.is_ready()) {
      const std::size_t stratum = estimator.next_stratum();
      estimator.add_series(round, machine.series(round, kRounds), false, stratum);
    }
    found.push_back(estimator.estimate().half_width);
  }
  return found;
}

TEST(Estimator, KnowsFromOtherBlocksHowSeriesScatter) {
  const std::vector<double> found = half_widths(216, 0);
  const auto quartiles = [](std::span<const double> widths) {
    std::vector<double> sorted(widths.begin(), widths.end());
    std::ranges::sort(sorted);
    return std::pair(sorted[sorted.size() / 4], sorted[3 * sorted.size() / 4]);
  };
  const auto [low, high] = quartiles(std::span(found).subspan(16));
  EXPECT_LT(high, 1.5 * low)
      << "four series alone give anything: Student's varies by a factor of 2";
}

TEST(Estimator, DoesNotBelieveItOfABlockWhoseSeriesScatterMore) {
  const double among_others = half_widths(100, 0.05).back();
  const double usual = half_widths(100, 0).back();
  EXPECT_GT(among_others, 10 * usual);
  // Its strata differ too little here to be doubtful for that.
  const double students = half_widths(100, 0.015, true).back();
  EXPECT_THAT(half_widths(100, 0.015).back(), DoubleNear(students, 0.1 * students));
}

TEST(Estimator, ABlocksOwnScatterIsNotCut) {
  // One series in eight is further from the median than 3 %, and than six of its own errors.
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
  EXPECT_GE(bench.estimator.timed_runs().dropped, kRunsInSeries);
}

TEST(Estimator, WhatIsToleratedOfANeighbourIsInTheInterval) {
  Bench bench({.neighbour = 1.02, .clock = {.stamps = 5}});
  bench.add(200);
  EXPECT_GE(bench.estimator.series(), 180) << "less than what a series is left out for";
  const Estimate found = bench.estimator.estimate();
  EXPECT_THAT(found.cycles, DoubleNear(2.04, 0.01));
  EXPECT_LE(found.cycles - found.half_width, 2.005) << "2, but for how the canary scatters";
  EXPECT_LT(found.half_width, 0.06);
}

TEST(Estimator, PreemptedSeriesAreLeftOut) {
  Bench bench({.interrupted_runs = 0});
  bench.add(10);
  bench.machine.conditions().cycles_per_copy = 20;
  EXPECT_EQ(bench.add_series(true), SeriesFate::kPreempted);
  EXPECT_EQ(bench.estimator.series(), 10);
  const TimedRuns timed = bench.estimator.timed_runs();
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.05));
  EXPECT_EQ(timed.runs, 10 * kRunsInSeries);
  EXPECT_EQ(timed.dropped, kRunsInSeries);
}

TEST(Estimator, EachSeriesIsScaledByTheFrequencyOfItsTime) {
  Bench bench({.interrupted_runs = 0});
  bench.add(20);
  bench.machine.conditions().frequency = 0.8;
  EXPECT_EQ(bench.add_series(), SeriesFate::kDisturbed) << "it may have been an interrupt";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(bench.add_series(), SeriesFate::kTaken) << i;
  EXPECT_EQ(bench.estimator.series(), 40);
  EXPECT_THAT(bench.estimator.points().back().ratio.value(),
              DoubleNear(0.8 * SyntheticMachine::kRatio, 0.02));
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.03));
}

TEST(Estimator, AnInterruptWithinTheReferenceIsSeen) {
  Bench bench({.interrupted_runs = 0});
  bench.add(20);
  const Round round = interleaved_round(Plan{}, 4);
  std::vector<std::uint32_t> readings = bench.machine.series(round, 2);
  for (std::size_t i = 0; i < round.size(); ++i) {
    if (round[i].code == Code::kReference && round[i].size == kLarge && round[i].counts) {
      readings[i] += 40'000;
    }
  }
  const double before = bench.companions.ratio().value().value();
  EXPECT_EQ(bench.estimator.add_series(round, readings, false), SeriesFate::kDisturbed);
  EXPECT_EQ(bench.companions.ratio().value().value(), before);
}

TEST(Estimator, AnUndisturbedMachineIsHardlyEverDisturbed) {
  // There are as few rounds as slow blocks have, whose readings of a coarse clock are often all the
  // same.
  SyntheticMachine machine({.interrupted_runs = 0}, 3);
  const Round round = interleaved_round(Plan{}, 4);
  Companions companions = machine.companions(kTolerated);
  Estimator estimator(SyntheticMachine::kSizes, companions);
  constexpr int kSeries = 2000;
  int disturbed = 0;
  for (int i = 0; i < kSeries; ++i) {
    const SeriesFate fate = estimator.add_series(round, machine.series(round, 3), false);
    disturbed += fate == SeriesFate::kDisturbed;
  }
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
  // Of the copies from 100 to 200 half are slow, of those from 200 to 400 none.
  Bench bench({.slow_copies = 150});
  bench.add(40);
  const Steadiness found = bench.estimator.steadiness();
  EXPECT_THAT(found.first_cycles, DoubleNear(3, 0.05));
  EXPECT_THAT(found.further_cycles, DoubleNear(2, 0.05));
  EXPECT_LT(found.half_width, 0.1);
}

TEST(Estimator, WhatIsSlowBeforeTheSmallestSizeEndsDropsOut) {
  Bench bench({.slow_copies = 90});
  bench.add(40);
  EXPECT_THAT(bench.estimator.estimate().cycles, DoubleNear(2, 0.02));
  const Steadiness found = bench.estimator.steadiness();
  EXPECT_THAT(found.first_cycles, DoubleNear(2, 0.05));
  EXPECT_THAT(found.further_cycles, DoubleNear(2, 0.05));
}

TEST(Estimator, RefusesHalfARound) {
  Bench bench({});
  EXPECT_THROW(bench.estimator.add_series(bench.round, std::vector<std::uint32_t>{1, 2, 3}, false),
               Error);
}

TEST(Estimator, ASeriesThatWasLostWithTheCoreCountsForNothing) {
  Bench bench({});
  EXPECT_EQ(bench.estimator.add_series(bench.round, {}, false), SeriesFate::kPreempted);
  EXPECT_EQ(bench.estimator.series(), 0);
  EXPECT_EQ(bench.estimator.points().size(), 1);
}

TEST(SeriesFateTest, EachHasAName) {
  EXPECT_EQ(name(SeriesFate::kTaken), "taken");
  EXPECT_EQ(name(SeriesFate::kDisturbed), "disturbed");
  EXPECT_EQ(name(SeriesFate::kPreempted), "preempted");
}

Settings settings() {
  Settings settings;
  settings.target_relative = 0.005;
  settings.target_cycles = 0.005;
  return settings;
}

SteadyState judged(double first_cycles, double further_cycles, double half_width) {
  return steady_state({first_cycles, further_cycles, half_width}, settings());
}

TEST(SteadyStateTest, IsReachedIfTheDifferenceIsSurelySmall) {
  EXPECT_EQ(judged(10, 10, 0.1), SteadyState::kReached);
  EXPECT_EQ(judged(10.1, 10, 0.01), SteadyState::kReached) << "two targets";
  EXPECT_EQ(judged(10.14, 10, 0.05), SteadyState::kReached) << "surely less than four";
  EXPECT_EQ(judged(0.26, 0.25, 0.001), SteadyState::kReached) << "in cycles";
}

TEST(SteadyStateTest, IsNotReachedIfItIsSurelyLarge) {
  for (const double sign : {-1, 1}) {
    EXPECT_EQ(judged(10 + sign * 0.22, 10, 0.01), SteadyState::kNotReached);
    EXPECT_EQ(judged(10 + sign * 5, 10, 4.7), SteadyState::kNotReached);
    EXPECT_EQ(judged(0.25 + sign * 0.03, 0.25, 0.001), SteadyState::kNotReached);
  }
}

TEST(SteadyStateTest, IsDoubtfulInBetween) {
  for (const double sign : {-1, 1}) {
    EXPECT_EQ(judged(10 + sign * 0.12, 10, 0.01), SteadyState::kDoubtful);
    EXPECT_EQ(judged(10 + sign * 0.22, 10, 0.05), SteadyState::kDoubtful);
    EXPECT_EQ(judged(0.25 + sign * 0.02, 0.25, 0.001), SteadyState::kDoubtful);
  }
}

TEST(SteadyStateTest, IsNotReachedByScatter) {
  EXPECT_EQ(judged(10, 10, 0.21), SteadyState::kUnknown);
  EXPECT_EQ(judged(10.15, 10, 0.06), SteadyState::kUnknown);
  EXPECT_EQ(judged(10.4, 10, 0.5), SteadyState::kUnknown);
  EXPECT_EQ(judged(kNan, 1, kNan), SteadyState::kUnknown);
  EXPECT_EQ(judged(1, 1, kNan), SteadyState::kUnknown);
}

TEST(IsNarrow, TakesTheWiderOfTwoAllowances) {
  EXPECT_TRUE(is_narrow({10, 0.1}, 0.01, 0.05));
  EXPECT_FALSE(is_narrow({10, 0.101}, 0.01, 0.05));
  EXPECT_TRUE(is_narrow({1, 0.05}, 0.01, 0.05));
  EXPECT_FALSE(is_narrow({1, 0.051}, 0.01, 0.05));
}

TEST(Estimator, EachAlignmentHasItsSizes) {
  const Plan plan{.sizes = {Iterations(200), Iterations(600), Iterations(1'000)},
                  .stagger = Copies(8)};
  const auto sizes = sizes_at_alignments(plan, kAlignments);
  ASSERT_EQ(sizes.size(), kAlignments);
  EXPECT_EQ(sizes.back(), (SizesInCopies{Copies(144), Copies(544), Copies(944)}));
  SyntheticMachine machine({.run_deviation = 1}, 1);
  machine.run_at(sizes);
  Companions companions = machine.companions(0.02);
  Estimator estimator(sizes, companions, kAlignments / kAlignmentsInSeries);
  for (int pass = 0; pass < 40; ++pass) {
    for (std::size_t stratum = 0; stratum < kAlignments / kAlignmentsInSeries; ++stratum) {
      const Round round =
          interleaved_round(plan, 4, kAlignmentsInSeries, stratum * kAlignmentsInSeries);
      estimator.add_series(round, machine.series(round, 4), false, estimator.next_stratum());
    }
  }
  EXPECT_NEAR(estimator.estimate().cycles, 2, 0.01);
  EXPECT_NEAR(estimator.steadiness().first_cycles, 2, 0.02);
  EXPECT_NEAR(estimator.steadiness().further_cycles, 2, 0.02);
}

/// The root mean square of the errors of the estimates of many blocks of 2 cycles, after so many
/// passes over the alignments, of which each has sizes of its own or all have those of the first.
double error_after(int passes, bool have_sizes_of_their_own) {
  constexpr int kBlocks = 40;
  constexpr std::size_t kStrata = kAlignments / kAlignmentsInSeries;
  const Plan plan{.sizes = {Iterations(500), Iterations(1'500), Iterations(2'500)},
                  .stagger = Copies(20)};
  SyntheticMachine machine(
      {.size_deviation = 5, .interrupted_runs = 0, .clock = {.counts_cycles = true}}, 1);
  double squares = 0;
  for (int block = 0; block < kBlocks; ++block) {
    machine.begin_block();
    machine.run_at(sizes_at_alignments(plan, kAlignments));
    Companions companions = machine.companions(0.02);
    Estimator estimator(sizes_at_alignments(plan, kAlignments), companions, kStrata);
    while (estimator.passes() < passes || !estimator.is_balanced()) {
      const std::size_t stratum = estimator.next_stratum();
      const int pass = have_sizes_of_their_own ? estimator.passes() : 0;
      const auto sizes = sizes_at_alignments(plan, kAlignments, static_cast<std::uint32_t>(pass));
      machine.begin_pass(sizes, static_cast<std::uint32_t>(pass));
      estimator.run_at(sizes);
      const Round round =
          interleaved_round(plan, 4, kAlignmentsInSeries, stratum * kAlignmentsInSeries);
      estimator.add_series(round, machine.series(round, 4), false, stratum);
    }
    squares += std::pow(estimator.estimate().cycles - 2, 2);
  }
  return std::sqrt(squares / kBlocks);
}

TEST(Estimator, SizesThatAreOffALineEvenOutOverThePasses) {
  const double of_one = error_after(1, true);
  EXPECT_LT(error_after(9, true), 0.5 * of_one);
  EXPECT_GT(error_after(9, false), 0.8 * of_one);
}

}  // namespace
}  // namespace assay
