// How often intervals hold the truth where it is known. `assay_synthetic_coverage TRIES` measures a
// block so many times on synthetic machines of several kinds, by production's own plans and rules.
// For each kind it prints how many tries gave a value; how many of these intervals hold the truth,
// which is the usual state's value; the mean error and half-width, and how many values are off by
// more than 5 %; and what a try took. It judges nothing.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "profiler/support/error.h"
#include "tests/profiler/machine/assumed_features.h"
#include "tests/profiler/protocol/synthetic_measurement.h"

namespace assay {
namespace {

using Conditions = SyntheticMachine::Conditions;
using Lasts = SyntheticMachine::Lasts;
using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr const char* kAdd = "4801d8";  // add rax, rbx

struct ClockKind {
  std::string_view name;
  SyntheticMachine::Clock clock;
};

const std::array kClocks = {
    ClockKind{"step 1", {.step = Ticks(1)}},
    ClockKind{"step 26", {}},
    ClockKind{"step 26, 5 stamps", {.stamps = 5}},
    ClockKind{"exact", {.counts_cycles = true}},
};

/// Which plans a core of some kind is given.
struct PlanKind {
  std::string_view core;
  Features (*features)();
  Notion notion;
};

const std::array kPlans = {
    PlanKind{"", AssumedFeatures::near_jumps, Notion::kUnrolled},
    PlanKind{", fed by a micro-op cache", AssumedFeatures::micro_op_cache, Notion::kUnrolled},
    PlanKind{"", AssumedFeatures::near_jumps, Notion::kLooped},
};

/// In which way a machine differs from a quiet one with a block of one cycle.
struct Kind {
  std::string_view name;
  std::function<void(Conditions&)> change;
};

using Change = std::function<void(Conditions&)>;

Change slow_start(double copies) {
  return [=](Conditions& of) {
    of.slow_copies = copies;
    of.slow_factor = 1.03;
  };
}

Change half_slower(double share, Lasts lasts) {
  return [=](Conditions& of) { of.state = {1.5, share, lasts}; };
}

/// `canary`: by how much a visitor slows it, who slows the block by half.
Change visitor(double canary, microseconds stay, microseconds away) {
  return [=](Conditions& of) { of.visitor = {1.5, canary, stay, away}; };
}

Change steps(double deviation) {
  return [=](Conditions& of) {
    of.wander = deviation;
    of.wander_time = milliseconds(100);
  };
}

const std::array kKinds = {
    Kind{"quiet, 1 cycle", [](Conditions&) {}},
    Kind{"quiet, 0.25 cycles", [](Conditions& of) { of.cycles_per_copy = 0.25; }},
    Kind{"quiet, 40 cycles", [](Conditions& of) { of.cycles_per_copy = 40; }},
    Kind{"alignments differ by 2 %", [](Conditions& of) { of.alignment_deviation = 0.02; }},
    Kind{"sizes off by 3 cycles", [](Conditions& of) { of.size_deviation = 3; }},
    Kind{"series differ by 0.2 %", [](Conditions& of) { of.series_deviation = 0.002; }},
    Kind{"series differ by 1 %", [](Conditions& of) { of.series_deviation = 0.01; }},
    Kind{"first 100 copies 3 % slower", slow_start(100)},
    Kind{"first 1000 copies 3 % slower", slow_start(1000)},
    Kind{"half slower in a tenth of series", half_slower(0.1, Lasts::kSeries)},
    Kind{"half slower in half of series", half_slower(0.5, Lasts::kSeries)},
    Kind{"half slower at a tenth of alignments", half_slower(0.1, Lasts::kAlignment)},
    Kind{"half slower in a tenth of runs", half_slower(0.1, Lasts::kRun)},
    Kind{"half slower in a tenth of processes", half_slower(0.1, Lasts::kProcess)},
    Kind{"visitor for 60 us after 1 ms", visitor(1.5, microseconds(60), milliseconds(1))},
    Kind{"visitor for 60 us after 100 us", visitor(1.5, microseconds(60), microseconds(100))},
    Kind{"unseen visitor for 60 us after 1 ms", visitor(1, microseconds(60), milliseconds(1))},
    Kind{"unseen visitor for 20 ms after 200 ms", visitor(1, milliseconds(20), milliseconds(200))},
    Kind{"frequency drifts by 2 % a second", [](Conditions& of) { of.drift = 0.02; }},
    Kind{"frequency wanders by 0.25 %", [](Conditions& of) { of.wander = 0.0025; }},
    Kind{"frequency steps by 1 % every 100 ms", steps(0.01)},
    Kind{"frequency steps by 3 % every 100 ms", steps(0.03)},
};

void print_row(const ClockKind& clock, const Kind& kind, Notion notion, int tries) {
  constexpr double kMostDrift = 0.02;
  Conditions conditions{
      .cycles_per_copy = 1, .run_deviation = 2, .interrupted_runs = 0.002, .clock = clock.clock};
  kind.change(conditions);
  const double truth = conditions.cycles_per_copy;
  SyntheticMachine machine(conditions, 1);
  SyntheticProfiler profiler(machine, kAdd, notion);
  int measured = 0, held = 0, far = 0, visits = 0;
  double error = 0, half_widths = 0;
  std::chrono::duration<double, std::micro> time{};
  for (int i = 0; i < tries; ++i) {
    // A drift that has led far from the nominal frequency leads back.
    Conditions& now = machine.conditions();
    const double away = now.frequency - 1;
    if (std::abs(away) > kMostDrift && away * now.drift > 0) now.drift = -now.drift;
    const SyntheticMeasurement found = profiler.measure();
    time += found.time;
    visits += static_cast<int>(found.result.visits);
    if (!found.result.outcome.measured()) continue;
    const Estimate& estimate = *found.result.estimate;
    const double distance = std::abs(estimate.cycles - truth);
    ++measured;
    held += distance <= estimate.half_width;
    far += distance > 0.05 * truth;
    error += estimate.cycles / truth - 1;
    half_widths += estimate.half_width / truth;
  }
  const double share = 100.0 / std::max(measured, 1);
  fmt::print("  {:<38}{:>9.1f}{:>9.1f}{:>10.3f}{:>12.3f}{:>11.3f}{:>9.2f}{:>9.0f}\n", kind.name,
             100.0 * measured / tries, share * held, share * error, share * half_widths,
             share * far, static_cast<double>(visits) / tries, time.count() / tries);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int tries = argc == 2 ? std::atoi(argv[1]) : 0;
  if (tries < 1) {
    fmt::print(stderr, "usage: assay_synthetic_coverage TRIES\n");
    return 2;
  }
  fmt::print("{:<40}{:>9}{:>9}{:>10}{:>12}{:>11}{:>9}{:>9}\n", "per cent, but for the last two",
             "measured", "held", "error", "half-width", "off by 5", "visits", "us");
  for (const assay::ClockKind& clock : assay::kClocks) {
    for (const auto& [core, features, notion] : assay::kPlans) {
      fmt::print("{}, {}{}\n", clock.name, name(notion), core);
      const assay::AssumedFeatures assumed(features());
      for (const assay::Kind& kind : assay::kKinds) assay::print_row(clock, kind, notion, tries);
    }
  }
  return 0;
}
