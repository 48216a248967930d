#include "profiler/counting/pass_counting.h"

namespace assay {
namespace {

/// How much a pass runs: the round, the rounds in a series, and the number of series.
struct Scale {
  Round round;
  std::uint32_t rounds;
  int series;
};

/// If counters are read around, a reading is already the mean of many runs, but each series gives
/// only one reading of each size. So there are more series then.
Scale scale_of(ReadMethod method) {
  if (method == ReadMethod::kAround) return {counting_round(1), 1, 16};
  return {counting_round(6), 4, 8};
}

}  // namespace

Plan counting_plan(const Plan& plan) {
  Plan counting = plan;
  counting.sizes = {Iterations(0), plan.sizes.front(), plan.sizes.back()};
  counting.stagger = {};
  return counting;
}

PassCounts count_pass(LoadedBlock& loaded, const CounterGroup& counters, const Plan& plan,
                      int pass) {
  constexpr int kMostSeries = 64;  // includes series that are left out because the core was lost
  PassCounts counts{std::nullopt,
                    {{counters.names().begin(), counters.names().end()},
                     counters.method(),
                     plan.added_copies(),
                     pass}};
  const Scale scale = scale_of(counters.method());
  for (int i = 0; i < kMostSeries && counts.tally.series() < scale.series; ++i) {
    const subject::SeriesResult series = loaded.run(scale.round, scale.rounds);
    if (series.fault) {
      counts.fault = series.fault;
      return counts;
    }
    if (series.readings.empty() || series.preempted) continue;
    counts.tally.add_series(scale.round, series.readings);
  }
  counts.complete = counts.tally.series() == scale.series;
  return counts;
}

}  // namespace assay
