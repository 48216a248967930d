// How often intervals hold the truth. `assay_interval_coverage REPETITIONS BLOCK...` measures each
// block (Intel syntax) so many times under both notions. Of a block whose cycles are known, "ASM =
// CYCLES", it prints how far its values are from them, and the share of its 95 % intervals that
// hold them. Of every block it prints the share of pairs of values that differ by no more than
// their half-widths together allow: 95 % too, if intervals are honest. An error that all values of
// a block have in common shows only against known cycles. It judges nothing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "profiler/support/statistics.h"
#include "tests/benchmarks/agreement_tally.h"

namespace assay {
namespace {

struct Repeated {
  std::string text;
  Bytes bytes;
  Notion notion = Notion::kUnrolled;
  std::optional<double> known;      ///< cycles
  std::vector<Estimate> estimates;  ///< from the repetitions that gave a value
};

/// Adds a block, "ASM" or "ASM = CYCLES", under both notions.
void add(std::vector<Repeated>& blocks, const std::string& argument) {
  const auto sign = argument.find('=');
  const std::string text = argument.substr(0, sign);
  std::optional<double> known;
  if (sign != std::string::npos) known = std::stod(argument.substr(sign + 1));
  const Bytes bytes = assemble(text, Syntax::kIntel);
  for (const Notion notion : {Notion::kUnrolled, Notion::kLooped}) {
    blocks.push_back({text, bytes, notion, known, {}});
  }
}

void print_row(const Repeated& block, int repetitions) {
  const std::vector<Estimate>& all = block.estimates;
  const std::string name = fmt::format("{} ({})", block.text, assay::name(block.notion));
  if (all.size() < 2) {
    fmt::print("{:<56}  {} values of {}\n", name, all.size(), repetitions);
    return;
  }
  AgreementTally pairs;
  pairs.add_pairs(all);
  std::vector<double> values;
  std::vector<double> half_widths;
  for (const Estimate& estimate : all) {
    values.push_back(estimate.cycles);
    half_widths.push_back(estimate.half_width);
  }
  const auto [center, variance] = mean_and_variance(values);
  fmt::print("{:<56}{:>7}{:>9.4f}{:>11.4f}{:>12.4f}{:>8.1f} %", name, all.size(), center,
             std::sqrt(variance), mean(half_widths), pairs.within_intervals());
  if (block.known) {
    const auto held = std::ranges::count_if(all, [&](const Estimate& estimate) {
      return std::abs(estimate.cycles - *block.known) <= estimate.half_width;
    });
    fmt::print("{:>+9.2f} %{:>8.1f} %", 100 * (center / *block.known - 1),
               100 * static_cast<double>(held) / static_cast<double>(all.size()));
  }
  fmt::print("\n");
}

void run(int repetitions, std::span<char*> arguments) {
  std::vector<Repeated> blocks;
  for (const char* argument : arguments) add(blocks, argument);
  Profiler profiler(Settings{}, allowed_processors().back());
  // Blocks alternate, so that the repetitions of each see changes of the machine.
  for (int i = 0; i < repetitions; ++i) {
    for (Repeated& block : blocks) {
      const Measurement measurement = profiler.measure({block.bytes}, block.notion);
      if (measurement.estimate) block.estimates.push_back(*measurement.estimate);
    }
  }
  fmt::print("{:<56}{:>7}{:>9}{:>11}{:>12}{:>10}{:>11}{:>10}\n", "block", "values", "mean",
             "deviation", "half-width", "agree", "off by", "held");
  for (const Repeated& block : blocks) print_row(block, repetitions);
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  const int repetitions = argc > 1 ? std::atoi(argv[1]) : 0;
  if (repetitions < 1 || argc < 3) {
    std::cerr << "usage: assay_interval_coverage REPETITIONS BLOCK...\n";
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
