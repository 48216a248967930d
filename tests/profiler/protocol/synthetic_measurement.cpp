#include "tests/profiler/protocol/synthetic_measurement.h"

#include <variant>

#include "profiler/protocol/assay_judge.h"
#include "profiler/protocol/calibration.h"
#include "profiler/protocol/control.h"
#include "profiler/protocol/visits.h"
#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_plan.h"
#include "tests/profiler/protocol/planning.h"

namespace assay {
namespace {

Plan first_plan(const AssayProtocol& protocol, std::string_view hex, Notion notion) {
  const Block block = std::get<Block>(decode(bytes_from_hex(std::string(hex))));
  const Plan plan = std::get<Plan>(protocol.plan(block, notion));
  return protocol.longer(plan).value_or(plan);
}

SyntheticMachine::Places places_of(const Plan& plan, std::uint32_t pass) {
  SyntheticMachine::Places places{};
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = plan.place_at(i, pass);
  return places;
}

}  // namespace

SyntheticProfiler::SyntheticProfiler(SyntheticMachine& machine, std::string_view hex, Notion notion,
                                     const Settings& settings)
    : machine_(machine),
      settings_(settings),
      protocol_(settings_, kInstructionCache),
      control_settings_(settings_of_control(settings_)),
      control_protocol_(control_settings_, kInstructionCache),
      plan_(first_plan(protocol_, hex, notion)),
      method_(machine.conditions().clock.counts_cycles ? ReadMethod::kRdpmc : ReadMethod::kTsc),
      companions_(machine.companions(settings_.series_slowdown)) {
  calibrate(100);
}

/// Shows the companions the core, as the profiler does before the first block, and after pauses.
void SyntheticProfiler::calibrate(int series) {
  const SeriesPlan plan = calibration_series(method_);
  for (int i = 0; i < series; ++i) {
    const auto readings = machine_.series(plan.round, static_cast<int>(plan.rounds));
    companions_.judge(samples_of(plan.round, readings), false);
  }
}

SyntheticMeasurement SyntheticProfiler::measure(int most_visits) {
  SyntheticMeasurement total;
  machine_.begin_block();
  Visits visits;
  for (;;) {
    visits.add(visit(visits.next(), total));
    if (visits.settled() || visits.count() >= most_visits) break;
    machine_.wait(visits.pause());
    machine_.begin_process();
    calibrate(kSeriesToCalibrateAgain);
  }
  total.result = visits.result();
  return total;
}

/// A visit as Profiler::measure() pays it, but that it always begins with the first plan.
Measurement SyntheticProfiler::visit(int number, SyntheticMeasurement& total) {
  const auto start = machine_.now();
  Measurement measurement;
  measurement.notion = plan_.notion;
  std::optional<Plan> plan = plan_;
  while (plan) {
    const auto sampling = sample(protocol_, *plan, number, total);
    const auto evaluation = sampling->evaluate();
    measurement.outcome = evaluation ? sampling->judge(*evaluation) : sampling->judge_too_few();
    measurement.estimate.reset();
    measurement.placements.clear();
    if (measurement.outcome.measured()) {
      measurement.estimate = evaluation->estimate;
      measurement.placements = evaluation->placements;
    }
    if (evaluation) measurement.evidence = evidence_of(*evaluation, measurement.outcome, 0);
    plan = protocol_.raised(*plan, measurement.outcome.reason);
  }
  const bool doubtful = may_pass(measurement.outcome.reason);
  if (doubtful && !control_is_calm(total)) measurement.outcome = {Reason::kInterference, ""};
  measurement.settled = protocol_.settles(measurement);
  total.time += machine_.now() - start;
  return measurement;
}

/// Whether a block that has nothing special is left alone on this machine now.
bool SyntheticProfiler::control_is_calm(SyntheticMeasurement& total) {
  const SyntheticMachine::Conditions block = machine_.conditions();
  SyntheticMachine::Conditions& now = machine_.conditions();
  now.cycles_per_copy = 1;
  now.slow_copies = now.series_deviation = 0;
  now.state = {};
  now.place_factors.fill(1);
  const auto sampling = sample(control_protocol_, plan_, 1, total);
  const double frequency = now.frequency;
  now = block;
  now.frequency = frequency;
  const auto evaluation = sampling->evaluate();
  return evaluation && was_left_alone(*evaluation);
}

std::unique_ptr<Sampling> SyntheticProfiler::sample(const AssayProtocol& protocol, const Plan& plan,
                                                    int visit, SyntheticMeasurement& total) {
  machine_.run_at(sizes_at_alignments(plan, kAlignments));
  machine_.meet(plan);
  const RunTimes times = {Cycles(machine_.nominal_cycles({.size = kSmallestSize})),
                          Cycles(machine_.nominal_cycles({.size = kLargestSize}))};
  auto sampling = protocol.sampling({plan, times, method_}, companions_, visit);
  std::vector<std::uint32_t> readings;
  const auto source = [&] {
    const SeriesPlan& series = sampling->series();
    machine_.begin_pass(sizes_at_alignments(plan, kAlignments, series.pass), series.pass,
                        places_of(plan, series.pass));
    readings = machine_.series(series.round, static_cast<int>(series.rounds));
    ++total.series;
    return SampledSeries{std::nullopt, readings, false};
  };
  assay::sample(*sampling, {source, [&] { return machine_.now(); }, [](auto) {}},
                settings_.visit_patience);
  return sampling;
}

}  // namespace assay
