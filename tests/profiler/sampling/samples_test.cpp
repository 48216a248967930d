#include "profiler/sampling/samples.h"

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
  // A duration of 110 ticks, read by a clock that steps by 26, gives 104 or 130 depending on the
  // phase.
  Readings readings(1000, 104);
  for (std::size_t i = 0; i < 231; ++i) readings[i] = 130;
  const SampleMean mean = robust_mean(readings, Reading(26));
  EXPECT_THAT(mean.mean.count(), DoubleNear(110, 0.01));
  EXPECT_EQ(mean.dropped, 0);
}

TEST(RobustMean, KeepsBothValuesOfAScaledClock) {
  // With steps of 26 and 27 ticks, one reading in twenty is a step up.
  Readings readings(1000, 369);
  for (std::size_t i = 0; i < 50; ++i) readings[i] = 396;
  EXPECT_EQ(robust_mean(readings, Reading(26)).dropped, 0);
}

TEST(RobustMean, DropsFarOutliersOnly) {
  Readings readings(100, 104);
  readings[0] = 130;
  readings[1] = 50'000;  // an interrupt
  readings[2] = 104 + 3 * 26 + 1;
  readings[3] = 104 + 3 * 26;
  const SampleMean mean = robust_mean(readings, Reading(26));
  EXPECT_EQ(mean.kept, 98);
  EXPECT_EQ(mean.dropped, 2);
  EXPECT_THAT(mean.mean.count(), DoubleNear(104 + (26 + 78) / 98.0, 1e-9));
}

TEST(RobustMean, WhatIsFarTooOftenIsNoOutlier) {
  const Readings two_in_five = {100, 100, 100, 400, 450};
  EXPECT_EQ(robust_mean(two_in_five, Reading(26)).dropped, 2);
  const Readings half = {100, 100, 100, 100, 400, 450, 500, 401};
  EXPECT_EQ(robust_mean(half, Reading(26)).dropped, 0);
  EXPECT_EQ(robust_mean(Readings{100, 100, 100, 100, 400, 420, 440}, Reading(26)).dropped, 0);
}

TEST(RobustMean, VarianceIsThatOfTheMean) {
  const Readings readings = {100, 102, 104, 106};
  // The sample variance is 20/3, over four readings.
  EXPECT_THAT(robust_mean(readings, Reading(1)).variance, DoubleNear(20.0 / 3 / 4, 1e-9));
}

TEST(RobustMean, OneReadingHasNoScatter) {
  const SampleMean mean = robust_mean(Readings{104}, Reading(26));
  EXPECT_EQ(mean.mean, Reading(104));
  EXPECT_EQ(mean.variance, 0);
  EXPECT_EQ(mean.kept, 1);
}

constexpr KernelRun kWarmUp = {.size = 2, .counts = false};
constexpr KernelRun kLargest = {.size = 2};
constexpr KernelRun kSmallest = {.size = 0};
constexpr KernelRun kCanary = {.code = Code::kCanary, .size = 1};

KernelRun at_second_alignment(KernelRun run) {
  run.alignment = 1;
  return run;
}

TEST(Samples, SortOutWhatCounts) {
  const Round round = {kWarmUp, kLargest, kCanary};
  const Readings readings = {1, 2, 3, 4, 5, 6};
  const Samples samples = samples_of(round, readings);
  EXPECT_THAT(samples.block[2], ElementsAre(2, 5));
  EXPECT_THAT(samples.canary[1], ElementsAre(3, 6));
  EXPECT_THAT(samples.block[1], IsEmpty());
}

TEST(Samples, AreOfNoPartOfARound) {
  const Round round = {kLargest, kSmallest};
  EXPECT_THROW(samples_of(round, Readings{1, 2, 3}), Error);
  EXPECT_THROW(samples_of(round, {}), Error);
}

TEST(SamplesByPlacement, TellTheBlocksReadingsApart) {
  const Round round = {kWarmUp, kLargest, kCanary, at_second_alignment(kLargest),
                       at_second_alignment(kSmallest)};
  const Readings readings = {1, 2, 3, 4, 5, 11, 12, 13, 14, 15};
  const auto alignments = samples_by_alignment(round, readings);
  ASSERT_EQ(alignments.size(), 2U);
  EXPECT_THAT(alignments[0].block[2], ElementsAre(2, 12));
  EXPECT_THAT(alignments[0].canary[1], ElementsAre(3, 13));
  EXPECT_THAT(alignments[0].block[0], IsEmpty());
  EXPECT_THAT(alignments[1].block[2], ElementsAre(4, 14));
  EXPECT_THAT(alignments[1].block[0], ElementsAre(5, 15));
  EXPECT_THROW(samples_by_alignment(round, Readings(7)), Error);
}

}  // namespace
}  // namespace assay
