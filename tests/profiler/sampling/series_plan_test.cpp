#include "profiler/sampling/series_plan.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace assay {
namespace {

constexpr std::size_t kKnown = 8;  // degrees of freedom from other blocks

/// The series of a block whose copies take half a cycle, at `n`, three and five times as many.
std::vector<SeriesPlan> planned(std::int64_t n, double run_variance,
                                ReadMethod method = ReadMethod::kTsc) {
  const Plan plan{
      Notion::kUnrolled, Copies(1), {Iterations(n), Iterations(3 * n), Iterations(5 * n)}};
  const double smallest = 0.5 * static_cast<double>(n);
  const RunTimes times{Cycles(smallest), Cycles(5 * smallest)};
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
    const auto series = planned(180, variance);
    EXPECT_GE(runs_of(series.front()), before) << variance;
    before = runs_of(series.front());
  }
  EXPECT_EQ(runs_of(planned(180, 1).front()), 4);
  EXPECT_GT(before, 8);
}

/// The number of runs that count in a pass, at each size of an alignment.
std::ptrdiff_t in_a_pass(const std::vector<SeriesPlan>& series) {
  return runs_of(series.front()) * series.front().rounds;
}

TEST(SeriesPlan, TakesNoMoreRunsThanSomethingElseScatters) {
  // Over 36 copies, what the difference of two halves may be is less than a cycle, by which a size
  // is off the straight line in any case: only further sizes tell more.
  EXPECT_EQ(in_a_pass(planned(18, 1)), 4);
  // The shortest way to a mean over passes has sqrt(23 / 4 * 100) runs in each of them.
  EXPECT_GE(in_a_pass(planned(18, 100)), 24);
  EXPECT_LE(in_a_pass(planned(18, 100)), 32);
}

TEST(SeriesPlan, TakesRoundsWhereRunsAreNotEnough) {
  const auto series = planned(180, 400);
  EXPECT_EQ(runs_of(series.front()), 16);
  EXPECT_GT(series.front().rounds, 1U);
  EXPECT_EQ(planned(180, 1e9).front().rounds, 4U) << "what no run tells is not waited for";
}

TEST(SeriesPlan, RunsAtAllAlignmentsAsOften) {
  const auto series = planned(180, 30);
  ASSERT_EQ(series.size(), kAlignments / kAlignmentsInSeries);
  for (const SeriesPlan& each : series) {
    EXPECT_EQ(runs_of(each), runs_of(series.front()));
    EXPECT_EQ(each.rounds, series.front().rounds);
  }
}

TEST(SeriesPlan, TakesFewestWhereReadingsAreOfManyRuns) {
  const auto series = planned(180, 400, ReadMethod::kAround);
  EXPECT_EQ(runs_of(series.front()), 4);
  EXPECT_EQ(series.front().rounds, 1);
}

TEST(SeriesPlan, ExpectsOfAFineClockLessScatterThanOfACoarseOne) {
  EXPECT_NEAR(usual_run_variance(Cycles(2)) * 100, usual_run_variance(Cycles(20)), 1e-9);
}

}  // namespace
}  // namespace assay
