#include "profiler/protocol/calibration.h"

#include <algorithm>
#include <optional>

#include "profiler/codegen/initial_state.h"
#include "profiler/protocol/measured_limits.h"
#include "profiler/running/loaded_block.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/series_plan.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

/// The core cycles per copy of a block that needs no trace: the quickest of a few short tries, so
/// that a single disturbed try does not matter.
std::optional<double> quickest(Workbench& workbench, Companions& companions,
                               const subject::Limits& limits, const Block& block,
                               const Plan& plan) {
  constexpr int kTries = 5;
  const InitialState state = distinct_initial_state();
  LoadedBlock loaded(workbench, block, state, limits);
  workbench.subject().unmap_all();
  if (loaded.load(plan, 1) || loaded.prepare().fault) return std::nullopt;
  const SeriesPlan series_plan = calibration_series(workbench.group(0).method());
  std::optional<double> least;
  for (int i = 0; i < kTries; ++i) {
    Estimator estimator(sizes_in_copies(plan), companions);
    for (int j = 0; j < kFewestSeries; ++j) {
      const SampledSeries series = loaded.run(series_plan);
      if (series.fault) return std::nullopt;
      estimator.add_series(series_plan.round, series.readings, series.preempted);
    }
    if (!estimator.is_ready()) continue;
    const double cycles = estimator.estimate().cycles;
    least = std::min(least.value_or(cycles), cycles);
  }
  return least;
}

/// For how long companions are run: until so many series were undisturbed, but within these times.
struct Extent {
  int series;
  std::chrono::nanoseconds least;
  std::chrono::nanoseconds most;
};

std::optional<subject::Fault> try_companions(Workbench& workbench, Companions& companions,
                                             const subject::Limits& limits, const Extent& extent) {
  // Which block runs does not matter: only its companions are to learn from the series.
  const Block nop = std::get<Block>(decode({0x90}));
  const InitialState state = bhive_initial_state();
  LoadedBlock loaded(workbench, nop, state, limits);
  workbench.subject().unmap_all();
  const Plan plan{Notion::kUnrolled, Copies(1), {Iterations(1), Iterations(2), Iterations(4)}};
  loaded.load(plan, 1);
  const SeriesPlan series_plan = calibration_series(workbench.group(0).method());
  Estimator estimator(sizes_in_copies(plan), companions);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
  while (elapsed() < extent.least ||
         (estimator.series() < extent.series && elapsed() < extent.most)) {
    const SampledSeries series = loaded.run(series_plan);
    if (series.fault) return series.fault;
    estimator.add_series(series_plan.round, series.readings, series.preempted);
  }
  return std::nullopt;
}

void run_companions(Workbench& workbench, Companions& companions, const subject::Limits& limits,
                    const Extent& extent) {
  const auto fault = workbench.outlive_kills(
      [&] { return try_companions(workbench, companions, limits, extent); });
  if (fault) throw EnvironmentError("the clock's reference faults: " + fault->outcome.detail);
}

}  // namespace

void calibrate(Workbench& workbench, Companions& companions, const subject::Limits& limits,
               std::chrono::nanoseconds least) {
  constexpr int kUndisturbedSeries = 100;
  run_companions(workbench, companions, limits,
                 {kUndisturbedSeries, least, std::chrono::milliseconds(500)});
}

void calibrate_again(Workbench& workbench, Companions& companions, const subject::Limits& limits) {
  run_companions(workbench, companions, limits,
                 {kSeriesToCalibrateAgain, {}, std::chrono::milliseconds(5)});
}

MachineLimits measure_limits_of(Workbench& workbench, Companions& companions,
                                const subject::Limits& limits,
                                const std::function<Plan(const Block&, Notion)>& make_plan) {
  return measure_limits([&](const Block& block, Notion notion) {
    const Plan plan = make_plan(block, notion);
    return workbench.outlive_kills(
        [&] { return quickest(workbench, companions, limits, block, plan); });
  });
}

}  // namespace assay
