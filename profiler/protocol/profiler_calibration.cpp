#include <algorithm>
#include <chrono>

#include "profiler/protocol/profiler.h"

namespace assay {

/// What the reference and the canary do on this core, before anything is judged by them.
/// `least`: how long at least; longer until so many series were undisturbed that the ratio's error
/// is small against the sampling target, unless the core is never left alone.
void Profiler::calibrate(std::chrono::nanoseconds least) {
  constexpr int kUndisturbedSeries = 100;
  constexpr auto kMost = std::chrono::milliseconds(500);
  const Block nop = std::get<Block>(decode({0x90}));
  const InitialState state = bhive_initial_state();
  LoadedBlock loaded(workbench_, nop, state, limits());
  const Plan plan{Notion::kUnrolled, 1, {1, 2, 4}};
  loaded.load(plan, 1);
  const SeriesPlan series = calibration_series(workbench_.group(0).method());
  Estimator estimator(series.round, {1, 2, 4}, workbench_.step(), canary_, ratio_,
                      settings_.series_slowdown);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
  while (elapsed() < least || (estimator.series() < kUndisturbedSeries && elapsed() < kMost)) {
    const subject::SeriesResult result = loaded.run(series.round, series.rounds);
    if (result.fault) {
      throw EnvironmentError("the clock's reference faults: " + result.fault->outcome.detail);
    }
    estimator.add_series(result.readings, result.preempted);
  }
}

/// Core cycles per copy of a block that needs no trace: of a few short tries the quickest, so that
/// one disturbed try does not matter.
std::optional<double> Profiler::quickest(const Block& block, Notion notion) {
  constexpr int kTries = 5;
  const InitialState state = distinct_initial_state();
  LoadedBlock loaded(workbench_, block, state, limits());
  const auto plan = std::get<Plan>(make_plan(block, notion, settings_, cache_size_));
  workbench_.subject().unmap_all();
  if (loaded.load(plan, 1) || loaded.prepare().fault) return std::nullopt;
  const SeriesPlan series_plan = calibration_series(workbench_.group(0).method());
  std::optional<double> least;
  for (int i = 0; i < kTries; ++i) {
    Estimator estimator(series_plan.round, copies_of(plan), workbench_.step(), canary_, ratio_,
                        settings_.series_slowdown);
    for (int j = 0; j < kFewestPoints; ++j) {
      const subject::SeriesResult series = loaded.run(series_plan.round, series_plan.rounds);
      if (series.fault) return std::nullopt;
      estimator.add_series(series.readings, series.preempted);
    }
    if (estimator.series() < kFewestPoints) continue;
    const double cycles = estimator.estimate().cycles;
    least = std::min(least.value_or(cycles), cycles);
  }
  return least;
}

}  // namespace assay
