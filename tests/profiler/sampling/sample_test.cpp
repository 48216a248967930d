#include "profiler/sampling/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "profiler/support/error.h"

namespace assay {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

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
  EXPECT_EQ(mean.variance, 0);
  EXPECT_EQ(mean.kept, 1);
}

auto turns_of(const Round& round, Slot slot, bool counts) {
  return std::ranges::count_if(
      round, [&](const Turn& turn) { return turn.slot == slot && turn.counts == counts; });
}

TEST(Round, EachSizeCountsAsOftenAsAskedForBehindItsWarmUps) {
  for (const int times : {1, 6}) {
    const Round round = interleaved_round(times);
    for (const Slot slot : {Slot::kQuarter, Slot::kHalf, Slot::kFull}) {
      EXPECT_EQ(turns_of(round, slot, true), slot == Slot::kHalf ? (times + 1) / 2 : times);
      const auto first = std::ranges::find(round, slot, &Turn::slot);
      EXPECT_FALSE(first->counts);
    }
  }
}

TEST(Round, APairHasTheTwoLargerSizesAndAsManyWarmUpsAsAskedFor) {
  const Round round = pair_round(3);
  for (const Slot slot : {Slot::kHalf, Slot::kFull}) {
    EXPECT_EQ(turns_of(round, slot, true), 1);
    EXPECT_EQ(turns_of(round, slot, false), 3);
  }
  EXPECT_EQ(turns_of(round, Slot::kQuarter, true), 0);
}

TEST(Round, HasTheCompanionsInEachKind) {
  for (const Round& round : {interleaved_round(4), pair_round(1)}) {
    for (const Slot slot :
         {Slot::kReferenceSmall, Slot::kReferenceLarge, Slot::kCanarySmall, Slot::kCanaryLarge}) {
      EXPECT_GE(turns_of(round, slot, true), 1);
    }
  }
}

TEST(BySlot, SortsOutWhatCounts) {
  const Round round = {{Slot::kFull, false}, {Slot::kFull, true}, {Slot::kCanaryLarge, true}};
  const std::vector<std::uint32_t> readings = {1, 2, 3, 4, 5, 6};
  const Samples samples = by_slot(round, readings);
  EXPECT_THAT(samples[static_cast<std::size_t>(Slot::kFull)], ElementsAre(2, 5));
  EXPECT_THAT(samples[static_cast<std::size_t>(Slot::kCanaryLarge)], ElementsAre(3, 6));
  EXPECT_THAT(samples[static_cast<std::size_t>(Slot::kHalf)], IsEmpty());
}

TEST(BySlot, RefusesAPartOfARound) {
  const Round round = {{Slot::kFull, true}, {Slot::kHalf, true}};
  EXPECT_THROW(by_slot(round, std::vector<std::uint32_t>{1, 2, 3}), Error);
  EXPECT_THROW(by_slot(round, {}), Error);
}

TEST(InterleavedRound, RunsAtOnePlaceAfterTheOther) {
  const Round round = interleaved_round(4, 8);
  for (std::size_t place = 0; place < 8; ++place) {
    const auto of = [&](Slot slot) {
      return std::ranges::count_if(round, [&](const Turn& turn) {
        return turn.slot == slot && turn.place == place && turn.counts;
      });
    };
    EXPECT_EQ(of(Slot::kFull), 4);
    EXPECT_EQ(of(Slot::kHalf), 2);
    EXPECT_EQ(of(Slot::kQuarter), 4);
  }
  const auto evicting = std::ranges::count(round, true, &Turn::evict);
  EXPECT_EQ(evicting, 8);
  for (std::size_t i = 0; i < round.size(); ++i) {
    if (!round[i].evict) continue;
    EXPECT_EQ(round[i].slot, Slot::kFull);
    EXPECT_FALSE(round[i].counts);
  }
  for (const Slot slot : {Slot::kReferenceSmall, Slot::kReferenceLarge}) {
    EXPECT_EQ(turns_of(round, slot, true), 4);
  }
  for (const Slot slot : {Slot::kCanarySmall, Slot::kCanaryLarge}) {
    EXPECT_EQ(turns_of(round, slot, true), 8);
  }
}

TEST(ByPlace, TellsTheBlocksReadingsApart) {
  const Round round = {{Slot::kFull, false, 0},
                       {Slot::kFull, true, 0},
                       {Slot::kCanaryLarge, true},
                       {Slot::kFull, true, 1},
                       {Slot::kQuarter, true, 1}};
  const std::vector<std::uint32_t> readings = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15};
  const auto places = by_place(round, readings);
  ASSERT_EQ(places.size(), 2U);
  EXPECT_THAT(places[0][static_cast<std::size_t>(Slot::kFull)], ElementsAre(2, 12));
  EXPECT_THAT(places[0][static_cast<std::size_t>(Slot::kCanaryLarge)], ElementsAre(3, 13));
  EXPECT_THAT(places[0][static_cast<std::size_t>(Slot::kQuarter)], IsEmpty());
  EXPECT_THAT(places[1][static_cast<std::size_t>(Slot::kFull)], ElementsAre(4, 14));
  EXPECT_THAT(places[1][static_cast<std::size_t>(Slot::kQuarter)], ElementsAre(5, 15));
  EXPECT_THROW(by_place(round, std::vector<std::uint32_t>(7)), Error);
}

}  // namespace
}  // namespace assay
