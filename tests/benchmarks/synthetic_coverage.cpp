// How often intervals hold the truth on synthetic machines, whose truth is known.
// `assay_synthetic_coverage TRIES` measures a block so many times on machines of several kinds, by
// production's own plans and rules, and prints what became of it; it judges nothing.

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/profiler/protocol/synthetic_measurement.h"

namespace assay {
namespace {

using Conditions = SyntheticMachine::Conditions;
using Lasts = SyntheticMachine::Lasts;
using std::chrono::microseconds;

struct Kind {
  std::string name;
  Conditions conditions;
  Notion notion = Notion::kUnrolled;
};

std::vector<Kind> kinds() {
  const SyntheticMachine::Clock fine{.step = Ticks(1)};
  const SyntheticMachine::Clock coarse{};
  const SyntheticMachine::Clock vernier{.stamps = 5};
  const SyntheticMachine::Clock exact{.counts_cycles = true};
  std::vector<Kind> all;
  const auto add = [&](std::string name, const Conditions& conditions,
                       Notion notion = Notion::kUnrolled) {
    all.push_back({std::move(name), conditions, notion});
  };
  for (const auto& [clock_name, clock] :
       std::initializer_list<std::pair<const char*, SyntheticMachine::Clock>>{
           {"step 1", fine},
           {"step 26", coarse},
           {"step 26, 5 stamps", vernier},
           {"exact", exact}}) {
    const auto named = [&](const char* what) { return fmt::format("{}: {}", clock_name, what); };
    Conditions base{.cycles_per_copy = 1, .clock = clock};
    base.run_deviation = 2;
    base.interrupted_runs = 0.002;
    add(named("1 cycle"), base);
    Conditions c = base;
    c.cycles_per_copy = 0.25;
    add(named("0.25 cycles"), c);
    c = base;
    c.cycles_per_copy = 40;
    add(named("40 cycles"), c);
    c = base;
    c.alignment_deviation = 0.02;
    add(named("alignments 2 %"), c);
    c = base;
    c.series_deviation = 0.002;
    add(named("series 0.2 %"), c);
    c = base;
    c.series_deviation = 0.01;
    add(named("series 1 %"), c);
    c = base;
    c.slow_copies = 100;
    c.slow_factor = 1.03;
    add(named("first 100 copies 3 % slower"), c);
    c = base;
    c.slow_copies = 1e9;
    c.slow_factor = 1;
    c = base;
    c.slow_copies = 600;
    c.slow_factor = 1.03;
    add(named("first 600 copies 3 % slower"), c);
    c = base;
    c.state = {1.5, 0.1, Lasts::kSeries};
    add(named("1.5 in a tenth of series"), c);
    c = base;
    c.state = {1.5, 0.5, Lasts::kSeries};
    add(named("1.5 in half of series"), c);
    c = base;
    c.state = {1.5, 0.1, Lasts::kAlignment};
    add(named("1.5 at a tenth of places"), c);
    c = base;
    c.state = {1.5, 0.1, Lasts::kRun};
    add(named("1.5 in a tenth of runs"), c);
    c = base;
    c.visitor = {1.5, 1.5, microseconds(60), microseconds(1000)};
    add(named("visitor 60/1000 us"), c);
    c = base;
    c.visitor = {1.5, 1.5, microseconds(60), microseconds(100)};
    add(named("visitor 60/100 us"), c);
    c = base;
    c.visitor = {1.5, 1.0, microseconds(60), microseconds(1000)};
    add(named("unseen visitor 60/1000 us"), c);
    c = base;
    c.visitor = {1.5, 1.0, microseconds(20000), microseconds(200000)};
    add(named("unseen visitor 20/200 ms"), c);
    c = base;
    c.drift = 0.2;
    add(named("drift 20 %/s"), c);
  }
  return all;
}

void print(const Kind& kind, int tries) {
  SyntheticMachine machine(kind.conditions, 1);
  SyntheticProfiler profiler(machine, "4801d8", kind.notion);
  int measured = 0, held = 0, off = 0;
  double bias = 0, width = 0, series = 0, micros = 0;
  const double truth = kind.conditions.cycles_per_copy;
  const double drift = kind.conditions.drift;
  for (int i = 0; i < tries; ++i) {
    if (drift != 0 && (machine.conditions().frequency - 1) * machine.conditions().drift > 0 &&
        std::abs(machine.conditions().frequency - 1) > 0.02)
      machine.conditions().drift *= -1;
    const SyntheticMeasurement found = profiler.measure();
    series += found.series;
    micros += std::chrono::duration<double, std::micro>(found.time).count();
    if (!found.outcome.measured()) continue;
    const Estimate& estimate = found.evaluation->estimate;
    ++measured;
    held += std::abs(estimate.cycles - truth) <= estimate.half_width;
    off += std::abs(estimate.cycles - truth) > 0.05 * truth;
    bias += estimate.cycles / truth - 1;
    width += estimate.half_width / truth;
  }
  const double count = std::max(measured, 1);
  fmt::print("{:<46}{:>9.1f}{:>9.1f}{:>9.3f}{:>9.3f}{:>9.3f}{:>9.2f}{:>9.0f}\n", kind.name,
             100.0 * measured / tries, 100 * held / count, 100 * bias / count, 100 * width / count,
             100 * off / count, series / tries, micros / tries);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int tries = argc > 1 ? std::atoi(argv[1]) : 0;
  fmt::print("{:<46}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}{:>9}\n", "machine", "measured", "held", "bias",
             "width", "off 5 %", "series", "us");
  for (const auto& kind : assay::kinds()) assay::print(kind, tries);
}
