#include "tests/profiler/protocol/synthetic_measurement.h"

#include <variant>

#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_plan.h"
#include "tests/profiler/protocol/planning.h"

namespace assay {

SyntheticProfiler::SyntheticProfiler(SyntheticMachine& machine, std::string_view hex, Notion notion,
                                     const Settings& settings)
    : machine_(machine),
      settings_(settings),
      protocol_(settings_, kInstructionCache),
      plan_(std::get<Plan>(
          protocol_.plan(std::get<Block>(decode(bytes_from_hex(std::string(hex)))), notion))),
      method_(machine.conditions().clock.counts_cycles ? ReadMethod::kRdpmc : ReadMethod::kTsc),
      companions_(machine.companions(settings_.series_slowdown)) {
  calibrate();
}

/// Shows the companions the core, as the profiler does before the first block.
void SyntheticProfiler::calibrate() {
  constexpr int kSeries = 100;
  const SeriesPlan plan = calibration_series(method_);
  for (int i = 0; i < kSeries; ++i) {
    const auto readings = machine_.series(plan.round, static_cast<int>(plan.rounds));
    companions_.judge(samples_of(plan.round, readings), false);
  }
}

SyntheticMeasurement SyntheticProfiler::measure(int visit) {
  machine_.begin_block();
  const auto start = machine_.now();
  SyntheticMeasurement measurement;
  std::optional<Plan> plan = plan_;
  while (plan) {
    measurement.evaluation = sample(*plan, visit, measurement);
    plan = protocol_.raised(*plan, measurement.outcome.reason);
  }
  measurement.time = machine_.now() - start;
  return measurement;
}

std::optional<Evaluation> SyntheticProfiler::sample(const Plan& plan, int visit,
                                                    SyntheticMeasurement& measurement) {
  machine_.run_at(sizes_in_copies(plan));
  const RunTimes times = {Cycles(machine_.nominal_cycles({.size = kSmallestSize})),
                          Cycles(machine_.nominal_cycles({.size = kLargestSize}))};
  const auto sampling = protocol_.sampling(plan, times, method_, companions_, visit);
  Readings readings;
  const auto source = [&] {
    const SeriesPlan& series = sampling->series();
    readings = machine_.series(series.round, static_cast<int>(series.rounds));
    ++measurement.series;
    return SampledSeries{std::nullopt, readings, false};
  };
  assay::sample(*sampling, {source, [&] { return machine_.now(); }, [](auto) {}},
                settings_.visit_patience);
  auto evaluation = sampling->evaluate();
  measurement.outcome = evaluation ? sampling->judge(*evaluation, 0) : sampling->judge_too_few();
  return evaluation;
}

}  // namespace assay
