#include "profiler/sampling/layout_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>

namespace assay {
namespace {

using testing::IsEmpty;

const ReadingStep kStep(Ticks(26), 5);

std::vector<Reading> limits_of(std::initializer_list<double> readings) {
  std::vector<LayoutRun> runs;
  for (const double reading : readings) runs.push_back({Reading(reading), Reading()});
  return layout_limits(runs, kStep);
}

TEST(LayoutLimit, IsALittleAboveTheQuickestThatThreeShare) {
  const auto limits = limits_of({2600, 2000, 2020, 2700, 2040, 2650, 2610, 2900});
  ASSERT_EQ(limits.size(), 8U);
  for (const Reading limit : limits) {
    EXPECT_GT(limit.count(), 2040);
    EXPECT_LT(limit.count(), 2200);
  }
}

TEST(LayoutLimit, OneOrTwoQuickLayoutsAreExceptions) {
  const auto limits = limits_of({1500, 1510, 2000, 2020, 2040, 2010, 2000, 2030});
  ASSERT_EQ(limits.size(), 8U);
  EXPECT_GT(limits.front().count(), 2000);
}

TEST(LayoutLimit, WhereAllDifferThereIsNone) {
  EXPECT_THAT(limits_of({1500, 1700, 1900, 2100, 2300, 2500, 2700, 2900}), IsEmpty());
  EXPECT_THAT(limits_of({1500, 1500}), IsEmpty());
  EXPECT_THAT(limits_of({}), IsEmpty());
}

TEST(LayoutLimit, IsThatOfTheCopiesAtEachAlignment) {
  const Plan plan{.sizes = {Iterations(100), Iterations(300), Iterations(500)},
                  .stagger = Copies(4)};
  const Round round = first_round(3, 8, 3);
  // At the last alignment, the largest size has 140 copies fewer, of 10 each.
  std::vector<std::uint32_t> readings;
  for (const KernelRun& run : round) {
    readings.push_back(static_cast<std::uint32_t>(
        1000 + 10 * plan.copies_at(run.alignment, run.size).count() + (run.counts ? 0 : 5000)));
  }
  const auto runs = layout_runs(plan, round, readings, Reading(10));
  ASSERT_EQ(runs.size(), 8U);
  EXPECT_EQ(runs.front().reading, Reading(6000));
  EXPECT_EQ(runs.front().behind, Reading(0));
  EXPECT_EQ(runs.back().reading, Reading(4600));
  EXPECT_EQ(runs.back().behind, Reading(1400));
  const auto limits = layout_limits(runs, kStep);
  ASSERT_EQ(limits.size(), 8U);
  for (std::size_t i = 0; i < limits.size(); ++i) {
    EXPECT_GT(limits[i], runs[i].reading);
    EXPECT_LT(limits[i].count(), runs[i].reading.count() + 200);
  }
}

}  // namespace
}  // namespace assay
