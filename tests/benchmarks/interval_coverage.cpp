// How often intervals hold the truth. `interval_coverage REPETITIONS ASM...` measures each block
// (Intel syntax) so many times, and prints the share of its 95 % intervals that hold the mean of
// all its values, which stands in for the truth; it judges nothing. An error that all values of a
// block have in common does not show here: known_values is for that.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"

namespace assay {
namespace {

struct Repeated {
  std::string text;
  Bytes bytes;
  std::vector<Estimate> estimates;  ///< from the repetitions that gave a value
};

template <typename Function>
double mean(const std::vector<Estimate>& estimates, Function function) {
  double sum = 0;
  for (const Estimate& estimate : estimates) sum += function(estimate);
  return sum / static_cast<double>(estimates.size());
}

void print_row(const Repeated& block, int repetitions) {
  const std::vector<Estimate>& all = block.estimates;
  if (all.size() < 2) {
    fmt::print("{:<56}  {} values of {}\n", block.text, all.size(), repetitions);
    return;
  }
  const double center = mean(all, [](const Estimate& estimate) { return estimate.cycles; });
  const auto distance = [&](const Estimate& estimate) {
    return std::abs(estimate.cycles - center);
  };
  const double deviation = std::sqrt(
      mean(all, [&](const Estimate& estimate) { return std::pow(distance(estimate), 2); }));
  const double half_width = mean(all, [](const Estimate& estimate) { return estimate.half_width; });
  const auto held = std::ranges::count_if(
      all, [&](const Estimate& estimate) { return distance(estimate) <= estimate.half_width; });
  fmt::print("{:<56}{:>7}{:>9.4f}{:>11.4f}{:>12.4f}{:>8.1f} %\n", block.text, all.size(), center,
             deviation, half_width,
             100 * static_cast<double>(held) / static_cast<double>(all.size()));
}

void run(int repetitions, std::span<char*> texts) {
  std::vector<Repeated> blocks;
  for (const char* text : texts) blocks.push_back({text, assemble(text, Syntax::kIntel), {}});
  Profiler profiler(Settings{}, allowed_processors().back());
  // Blocks alternate, so that the repetitions of each see changes of the machine.
  for (int i = 0; i < repetitions; ++i) {
    for (Repeated& block : blocks) {
      const Measurement measurement = profiler.measure({block.bytes});
      if (measurement.outcome.verdict() == Verdict::kMeasured) {
        block.estimates.push_back(*measurement.estimate);
      }
    }
  }
  fmt::print("{:<56}{:>7}{:>9}{:>11}{:>12}{:>10}\n", "block", "values", "mean", "deviation",
             "half-width", "held");
  for (const Repeated& block : blocks) print_row(block, repetitions);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 0;
  if (repetitions < 1 || argc < 3) {
    std::cerr << "usage: assay_interval_coverage REPETITIONS ASM...\n";
    return 2;
  }
  try {
    assay::run(repetitions, std::span(argv, static_cast<std::size_t>(argc)).subspan(2));
  } catch (const std::exception& error) {
    std::cerr << "assay_interval_coverage: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
