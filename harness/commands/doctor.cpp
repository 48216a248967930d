#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>

#include "harness/commands/settled_clock.h"
#include "harness/commands/subcommands.h"
#include "harness/options/counter_options.h"
#include "harness/options/run_options.h"
#include "harness/output/doctor_report.h"
#include "harness/output/json_text.h"
#include "harness/subcommand.h"
#include "profiler/block/assembler.h"
#include "profiler/counters/validation_events.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"

namespace assay {
namespace {

using Microseconds = std::chrono::duration<double, std::micro>;

constexpr int kRepetitions = 20;

template <typename Work>
double microseconds_of(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Microseconds(std::chrono::steady_clock::now() - start).count();
}

Spread stop_cost(subject::Subject& subject) {
  std::vector<double> costs;
  for (int i = 0; i < kRepetitions; ++i) {
    constexpr int kTimes = 20;
    costs.push_back(microseconds_of([&] {
                      for (int k = 0; k < kTimes; ++k) subject.round_trip();
                    }) /
                    kTimes);
  }
  return spread_of(costs);
}

/// What it costs to map a page, by running copies that each touch a page of their own.
Spread page_fault_cost(subject::Subject& subject) {
  constexpr int kPages = 64;
  const Bytes touch_next_page = {0x8a, 0x18,                           // mov bl, byte ptr [rax]
                                 0x48, 0x05, 0x00, 0x10, 0x00, 0x00};  // add rax, 4096
  const auto block = std::get<Block>(decode(touch_next_page));
  const InitialState state = bhive_initial_state();
  const auto kernel =
      std::get<Kernel>(unroll(block, std::array{Iterations(kPages)}, state, subject::kCode));
  subject.load_code(0, kernel.code);
  const std::array entries = {kernel.entries[0]};
  const subject::Series series{entries, 1, ~0U, state.memory_word, state.segment_base};
  std::vector<double> costs;
  for (int i = 0; i < kRepetitions; ++i) {
    subject.unmap_all();
    const double cost = microseconds_of([&] {
      const auto result = subject.run(series, {});
      if (result.fault)
        throw EnvironmentError("pages cannot be mapped: " + result.fault->outcome.detail);
    });
    costs.push_back(cost / kPages);
  }
  return spread_of(costs);
}

/// The ratio of core cycles to ticks that several measurements of a block find, one after the
/// other.
Spread clock_ratio(Profiler& profiler) {
  const Bytes nop = {0x90};
  std::vector<double> ratios;
  for (int i = 0; i < kRepetitions; ++i) {
    std::vector<Attempt> attempts;
    profiler.measure({nop}, Notion::kUnrolled, {.last = Stage::kEstimate, .attempts = &attempts});
    const auto& evaluation = attempts.back().evaluation;
    if (evaluation) ratios.push_back(profiler.ratio()->value());
  }
  if (ratios.empty()) {
    throw EnvironmentError("the core was never quiet enough to find its clock's ratio");
  }
  return spread_of(ratios);
}

bool page_zero_can_be_used(Profiler& profiler) {
  const Bytes read_page_zero = {0x31, 0xc0, 0x8a, 0x18};  // xor eax, eax; mov bl, byte ptr [rax]
  return profiler.measure({read_page_zero}, Notion::kUnrolled, {.last = Stage::kPrepare})
             .outcome.reason != Reason::kNullPage;
}

std::optional<ReadMethod> reading_if_opened(CounterBackend& backend, int processor) {
  try {
    return reading_of(backend, processor);
  } catch (const EnvironmentError&) {  // RunReport says what keeps blocks from being run
    return std::nullopt;
  }
}

std::vector<ClockReport> try_clocks(int processor) {
  std::vector<ClockReport> clocks;
  for (const std::string_view name : backend_names()) {
    const auto backend = backend_named(name);
    ClockReport clock{std::string(name), try_backend(*backend, processor), std::nullopt};
    if (clock.availability.works) clock.method = reading_if_opened(*backend, processor);
    clocks.push_back(std::move(clock));
  }
  return clocks;
}

void count_validation_events(DoctorReport& report) {
  const auto events = validation_events(report.machine.microarchitecture);
  report.validation_events = events.size();
  report.tested_validation_events =
      static_cast<std::size_t>(std::ranges::count(events, true, &ValidationEvent::tested));
}

void try_running(DoctorReport& report, const CommandLine::Values& values, Settings settings) {
  settings.events.clear();  // the report must not depend on which events were asked for
  try {
    settle_clock(values, report.processor, settings);
    Profiler profiler(settings, report.processor);
    subject::Subject subject;
    report.run = RunReport{
        clock_ratio(profiler), stop_cost(subject), page_fault_cost(subject),
        static_cast<double>(profiler.disturbed_series()) / static_cast<double>(profiler.series()),
        subject::confinement_of(subject.pid())};
    report.environment.walls = subject::walls_text(report.run->confinement, true);
    report.page_zero = page_zero_can_be_used(profiler);
    report.counted_validation_events = profiler.validation().size();
    report.distrusted_events.assign(profiler.distrusted_events().begin(),
                                    profiler.distrusted_events().end());
  } catch (const EnvironmentError& error) {
    report.run_problem = error.what();
  }
}

/// Finds out which processors disturb each other. To be called before this thread binds itself to
/// one processor.
void try_cores(DoctorReport& report) {
  try {
    report.cores = find_core_groups(allowed_processors());
  } catch (const EnvironmentError& error) {
    report.cores_problem = error.what();
  }
}

DoctorReport examine(const CommandLine::Values& values) {
  const Settings settings = run_settings(values);
  const int processor = run_processor(values);
  DoctorReport report;
  report.machine = identify_machine();
  report.model_contradiction = model_contradiction(report.machine, hardware_cpuid);
  report.environment = identify_environment(processor);
  report.processor = processor;
  report.assembler = can_assemble();
  try_cores(report);
  report.clocks = try_clocks(processor);
  count_validation_events(report);
  try {
    report.tsc = probe_tsc();
    report.tsc_per_second = measure_tsc_rate();
  } catch (const EnvironmentError&) {  // the report of the clock tsc says so
  }
  try_running(report, values, settings);
  return report;
}

}  // namespace

int run_doctor(const std::vector<std::string>& arguments) {
  CommandLine line(
      "assay doctor [options]",
      "Says what this machine can do, what measuring costs here, and what you could change.");
  add_run_options(line);
  line.add()("json", "print one JSON object (docs/formats.md)");
  const auto values = line.parse(arguments);
  if (!values) return kDone;
  const DoctorReport report = examine(*values);
  if (values->count("json")) {
    fmt::print("{}\n", json_text(to_json(report)));
  } else {
    fmt::print("{}", to_text(report));
  }
  return report.usable() ? kDone : kUnusable;
}

}  // namespace assay
