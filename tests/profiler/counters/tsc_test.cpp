#include "profiler/counters/tsc.h"

#include <gtest/gtest.h>

#include <vector>

namespace assay {
namespace {

TEST(TscStep, IsTheCommonDivisorOfTheDifferences) {
  EXPECT_EQ(tsc_step(std::vector<std::uint64_t>{1000, 1052, 1052, 1130}), 26U);
  EXPECT_EQ(tsc_step(std::vector<std::uint64_t>{7, 9, 12}), 1U);
}

TEST(TscStep, IsZeroForACounterThatStandsStill) {
  EXPECT_EQ(tsc_step(std::vector<std::uint64_t>{5, 5, 5}), 0U);
}

TEST(TscGranularity, IsTheSmallestDifference) {
  // A counter with steps of 26.4 ticks, as a hypervisor's scaling makes them, advances by 26 or 27.
  EXPECT_EQ(tsc_granularity(std::vector<std::uint64_t>{100, 126, 126, 153, 206}), 26U);
  EXPECT_EQ(tsc_granularity(std::vector<std::uint64_t>{5, 5}), 0U);
}

TEST(Tsc, IsPlausibleHere) {
  const TscProperties properties = probe_tsc();
  EXPECT_GE(properties.step, 1U);
  EXPECT_GT(properties.ticks_per_second, 1e8);
  EXPECT_LT(properties.ticks_per_second, 2e10);
  EXPECT_GT(properties.read_ticks, 0);
}

}  // namespace
}  // namespace assay
