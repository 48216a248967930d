// Compares assay's values with known ones: `known_values FILE [REPETITIONS]`. FILE has lines
// "ASM",KIND,CYCLES with ASM in Intel syntax. Prints a row for each line and a summary; judges
// nothing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "profiler/block/assembler.h"
#include "profiler/machine/processor.h"
#include "profiler/protocol/profiler.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

struct Known {
  std::string text;
  double cycles = 0;
  std::vector<double> values;  ///< measured values, sorted at the end
  int refused = 0;             ///< repetitions without a value
};

std::vector<Known> read_known(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError("cannot open " + path);
  std::vector<Known> list;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const auto quote = line.find('"', 1);
    const auto comma = line.rfind(',');
    if (line.front() != '"' || quote == std::string::npos || comma < quote) {
      throw InputError(fmt::format("{}: not \"ASM\",KIND,CYCLES: {}", path, line));
    }
    list.push_back({line.substr(1, quote - 1), std::stod(line.substr(comma + 1)), {}, 0});
  }
  return list;
}

void print_row(const Known& known) {
  if (known.values.empty()) {
    fmt::print("{:<56}{:>8.3f}  no value in {} tries\n", known.text, known.cycles, known.refused);
    return;
  }
  const double middle = median(known.values);
  const auto [least, most] = std::ranges::minmax(known.values);
  fmt::print("{:<56}{:>8.3f}{:>9.3f}{:>8.3f}{:>8.3f}{:>+9.2f} %{:>4}\n", known.text, known.cycles,
             middle, least, most, 100 * (middle - known.cycles) / known.cycles, known.refused);
}

bool within(const Known& known, double relative, double cycles) {
  if (known.values.empty()) return false;
  return std::abs(median(known.values) - known.cycles) <= std::max(relative * known.cycles, cycles);
}

int run(const std::string& path, int repetitions) {
  std::vector<Known> list = read_known(path);
  Profiler profiler(Settings{}, allowed_processors().back());
  for (int i = 0; i < repetitions; ++i) {
    for (Known& known : list) {
      const auto measurement = profiler.measure({assemble(known.text, Syntax::kIntel)});
      if (measurement.outcome.verdict() == Verdict::kMeasured) {
        known.values.push_back(measurement.estimate->cycles);
      } else {
        ++known.refused;
      }
    }
  }
  fmt::print("{:<56}{:>8}{:>9}{:>8}{:>8}{:>11}{:>4}\n", "block", "known", "median", "least", "most",
             "deviation", "no");
  for (const Known& known : list) print_row(known);
  const auto count = [&](double relative, double cycles) {
    return std::ranges::count_if(
        list, [&](const Known& known) { return within(known, relative, cycles); });
  };
  fmt::print(
      "medians of {} repetitions: {} of {} within 3 % or 0.03 cycles, {} within 1 % or 0.01\n",
      repetitions, count(0.03, 0.03), list.size(), count(0.01, 0.01));
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: assay_known_values FILE [REPETITIONS]\n";
    return 2;
  }
  try {
    return assay::run(argv[1], argc == 3 ? std::max(1, std::atoi(argv[2])) : 11);
  } catch (const std::exception& error) {
    std::cerr << "assay_known_values: " << error.what() << "\n";
    return 1;
  }
}
