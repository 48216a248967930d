#include "profiler/sampling/series_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::size_t kKnown = 8;  // degrees of freedom from other blocks

/// A plan of 900 copies, of which each takes so many cycles.
std::vector<SeriesPlan> planned(double cycles, double run_variance,
                                ReadMethod method = ReadMethod::kTsc) {
  const Plan plan{
      Notion::kUnrolled, Copies(1), {Iterations(180), Iterations(540), Iterations(900)}};
  const RunTimes times{Cycles(180 * cycles), Cycles(900 * cycles)};
  return plan_series(plan, times, run_variance, kKnown, Settings{}, method);
}

/// The number of runs that count at each size of the first alignment.
std::ptrdiff_t runs_of(const SeriesPlan& series) {
  return std::ranges::count_if(series.round, [&](const KernelRun& run) {
    return run.code == Code::kBlock && run.counts && run.size == kLargestSize &&
           run.alignment == series.round.front().alignment;
  });
}

TEST(SeriesPlan, TakesMoreRunsTheMoreTheyScatter) {
  std::ptrdiff_t before = 0;
  for (const double variance : {1.0, 25.0, 100.0, 400.0}) {
    const auto series = planned(0.5, variance);
    EXPECT_GE(runs_of(series.front()), before) << variance;
    before = runs_of(series.front());
  }
  EXPECT_EQ(runs_of(planned(0.5, 1).front()), 4);
  EXPECT_GT(before, 8);
}

TEST(SeriesPlan, TakesNoMoreRunsThanSomethingElseScatters) {
  // Of 540 copies of a quarter cycle each, 0.007 cycles a copy are fewer cycles than a size is off
  // the straight line: only further sizes tell more.
  const auto series = planned(0.25, 1);
  EXPECT_EQ(runs_of(series.front()), 4);
  EXPECT_EQ(series.front().rounds, 1);
}

TEST(SeriesPlan, TakesRoundsWhereRunsAreNotEnough) {
  const Plan short_plan{
      Notion::kUnrolled, Copies(1), {Iterations(18), Iterations(54), Iterations(90)}};
  const auto series =
      plan_series(short_plan, {Cycles(18), Cycles(90)}, 100, kKnown, Settings{}, ReadMethod::kTsc);
  EXPECT_EQ(runs_of(series.front()), 16);
  EXPECT_EQ(series.front().rounds, 8);
}

TEST(SeriesPlan, RunsAtAllAlignmentsAsOften) {
  const auto series = planned(0.5, 30);
  ASSERT_EQ(series.size(), kAlignments / kAlignmentsInSeries);
  for (const SeriesPlan& each : series) {
    EXPECT_EQ(runs_of(each), runs_of(series.front()));
    EXPECT_EQ(each.rounds, series.front().rounds);
  }
}

TEST(SeriesPlan, TakesFewestWhereReadingsAreOfManyRuns) {
  const auto series = planned(0.5, 400, ReadMethod::kAround);
  EXPECT_EQ(runs_of(series.front()), 4);
  EXPECT_EQ(series.front().rounds, 1);
}

TEST(SeriesPlan, ExpectsOfAFineClockLessScatterThanOfACoarseOne) {
  EXPECT_NEAR(usual_run_variance(Cycles(2)) * 100, usual_run_variance(Cycles(20)), 1e-9);
}

}  // namespace
}  // namespace assay
