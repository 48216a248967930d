#include "profiler/counting/event_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

constexpr Copies kCopies{300};  // the copies at the largest size; the smallest one has 100

/// Gives what counters count in a run of so many copies.
using Counts = std::vector<double> (*)(double copies);

std::vector<std::uint32_t> series(const Round& round, int rounds, Counts counts) {
  std::vector<std::uint32_t> readings;
  for (int i = 0; i < rounds; ++i) {
    for (const KernelRun& run : round) {
      constexpr std::array<double, kMostSizes> kCopiesOfSize = {0, 100, 400};
      const double copies = kCopiesOfSize.at(run.size);
      for (const double count : counts(copies)) {
        // Warm-ups get another count, so that it shows if one is taken in.
        readings.push_back(static_cast<std::uint32_t>(count) + (run.counts ? 0 : 5000));
      }
    }
  }
  return readings;
}

EventTally tally_of(Counts counts, ReadMethod method = ReadMethod::kRdpmc) {
  EventTally tally({"cycles", "instructions", "misses"}, method, kCopies, 3);
  const Round round = counting_round(6);
  for (int i = 0; i < 8; ++i) tally.add_series(round, series(round, 4, counts));
  return tally;
}

std::vector<double> steady(double copies) { return {50 + 2 * copies, 20 + 3 * copies, 1}; }

TEST(CountingRound, RunsEachSizeBehindItsOwnWarmUps) {
  std::vector<std::size_t> sizes;
  for (const KernelRun& run : counting_round(1)) {
    if (run.counts) sizes.push_back(run.size);
  }
  EXPECT_THAT(sizes, ElementsAre(kManyCopies, kFewCopies, kNoCopies));
  const Round round = counting_round(6);
  EXPECT_EQ(round.size(), 3 * 8);
  EXPECT_EQ(std::ranges::count(round, true, &KernelRun::counts), 3 * 6);
  EXPECT_FALSE(round[8].counts);
  EXPECT_FALSE(round[9].counts);
}

TEST(EventTally, CountsByTheDifferenceOfTwoSizes) {
  const EventTally tally = tally_of(steady);
  EXPECT_EQ(tally.series(), 8);
  const std::vector<EventCount> counts = tally.counts();
  ASSERT_EQ(counts.size(), 2);
  EXPECT_EQ(counts[0].name, "instructions");
  EXPECT_THAT(counts[0].per_copy, DoubleNear(3, 1e-9));
  EXPECT_EQ(counts[0].overhead, 20);
  EXPECT_EQ(counts[0].pass, 3);
  EXPECT_THAT(counts[0].pass_cycles, DoubleNear(2, 1e-9));
  EXPECT_EQ(counts[1].per_copy, 0);
  EXPECT_EQ(counts[1].overhead, 1);
  EXPECT_THAT(tally.cycles().per_copy, DoubleNear(2, 1e-9));
}

TEST(EventTally, NoCountIsSurerThanHalfAnEventInAllSeries) {
  const std::vector<EventCount> counts = tally_of(steady).counts();
  EXPECT_THAT(counts[0].half_width, DoubleNear(0.5 / 8 / kCopies.real(), 1e-12));
}

TEST(EventTally, RoundedMeansAreNoSurerForBeingMany) {
  const std::vector<EventCount> counts = tally_of(steady, ReadMethod::kAround).counts();
  EXPECT_THAT(counts[0].half_width, DoubleNear(1 / kCopies.real(), 1e-12));
}

TEST(EventTally, TheIntervalHoldsTheTruthOfCountsThatScatter) {
  static std::mt19937 random(7);
  const Counts scattered = [](double copies) -> std::vector<double> {
    std::poisson_distribution<int> misses(1 + copies / 10);
    return {50 + 2 * copies, 20 + 3 * copies, static_cast<double>(misses(random))};
  };
  int held = 0;
  constexpr int kTimes = 300;
  for (int i = 0; i < kTimes; ++i) {
    const EventCount count = tally_of(scattered).counts()[1];
    held += std::abs(count.per_copy - 0.1) <= count.half_width;
  }
  EXPECT_GT(held, kTimes * 0.90);
  EXPECT_LT(held, kTimes * 0.99);
}

TEST(EventTally, GrowthIsThatOfTheMedianRun) {
  static int runs = 0;
  const EventTally tally = tally_of([](double copies) -> std::vector<double> {
    // Every tenth run is interrupted.
    const double interrupted = ++runs % 10 == 0 ? 1000 : 0;
    return {50 + 2 * copies, 20 + 3 * copies + interrupted, copies > 200 ? 2.0 : 1.0};
  });
  EXPECT_EQ(tally.growth(0), 3 * kCopies.real());
  EXPECT_EQ(tally.growth(1), 1);
}

TEST(EventTally, RefusesReadingsOfAnotherShape) {
  EventTally tally({"cycles", "misses"}, ReadMethod::kRdpmc, kCopies, 1);
  const Round round = counting_round(1);
  EXPECT_THROW(tally.add_series(round, std::vector<std::uint32_t>(2 * round.size() - 1)), Error);
  EXPECT_THROW(tally.add_series(round, std::vector<std::uint32_t>(2 * round.size() - 2)), Error);
}

}  // namespace
}  // namespace assay
