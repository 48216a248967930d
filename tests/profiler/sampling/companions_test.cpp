#include "profiler/sampling/companions.h"

#include <gtest/gtest.h>

#include <functional>

#include "profiler/sampling/reference.h"

namespace assay {
namespace {

constexpr std::uint32_t kStamping = 100;
constexpr std::uint32_t kNopsPerCycle = 4;

/// Companions on a core of four NOPs a cycle, with an exact clock, that have seen it quiet, each
/// reading of the canary a cycle more or less than the one before.
class CompanionsTest : public testing::Test {
 protected:
  CompanionsTest() {
    constexpr int kSeries = 100;
    for (int i = 0; i < kSeries; ++i) EXPECT_EQ(fate([](Readings&) {}), SeriesFate::kTaken);
  }

  /// The fate of a series whose readings of the larger canary something has changed, and in which
  /// the reference took so many times as long.
  SeriesFate fate(const std::function<void(Readings&)>& change, std::uint32_t slow = 1) {
    const auto reference = slow * static_cast<std::uint32_t>(kReferenceAddedCopies.count());
    constexpr std::uint32_t kCanary = kCanaryDifference / kNopsPerCycle;
    constexpr int kRuns = 6;
    Samples samples;
    samples.reference = {Readings{kStamping}, Readings{kStamping + reference}};
    for (std::uint32_t i = 0; i < kRuns; ++i) {
      samples.canary[kSmall].push_back(kStamping);
      samples.canary[kLarge].push_back(kStamping + kCanary + i % 2);
    }
    change(samples.canary[kLarge]);
    return companions_.judge(samples, false).fate;
  }

  Companions companions_{ReadingStep(Ticks(1)), Canary(kNopsPerCycle, 0.2),
                         ClockRatio(CyclesPerReading(1)), 0.02};
};

TEST_F(CompanionsTest, ASlowReferenceDisturbsASeriesAndIsNoFastCanary) {
  for (int i = 0; i < 400; ++i) {
    const bool slow = i % 4 == 0;
    EXPECT_EQ(fate([](Readings&) {}, slow ? 3 : 1),
              slow ? SeriesFate::kDisturbed : SeriesFate::kTaken);
  }
  EXPECT_NEAR(companions_.slowdown(1.0 / kNopsPerCycle), 0, 0.005);
}

TEST_F(CompanionsTest, AVisitorWhoStaysDisturbsASeries) {
  EXPECT_EQ(fate([](Readings& canary) {
              for (std::uint32_t& reading : canary) reading += 10;
            }),
            SeriesFate::kDisturbed);
}

TEST_F(CompanionsTest, AVisitorInOneReadingOfSixDisturbsASeries) {
  EXPECT_EQ(fate([](Readings& canary) { canary[3] += 75; }), SeriesFate::kDisturbed);
}

TEST_F(CompanionsTest, AVisitorInHalfOfTheReadingsDisturbsASeries) {
  EXPECT_EQ(fate([](Readings& canary) {
              for (std::size_t i = 0; i < canary.size(); i += 2) canary[i] += 75;
            }),
            SeriesFate::kDisturbed);
}

TEST_F(CompanionsTest, AnInterruptInTheCanaryIsNoVisitor) {
  EXPECT_EQ(fate([](Readings& canary) { canary[3] += 5000; }), SeriesFate::kTaken);
}

TEST_F(CompanionsTest, WhatIsToleratedDisturbsNoSeries) {
  EXPECT_EQ(fate([](Readings& canary) {
              for (std::uint32_t& reading : canary) reading += 2;
            }),
            SeriesFate::kTaken);
}

}  // namespace
}  // namespace assay
