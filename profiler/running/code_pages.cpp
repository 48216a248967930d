#include "profiler/running/code_pages.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <variant>
#include <vector>

#include "profiler/support/statistics.h"

namespace assay {

Block roomy_block() {
  // mov esi, 1; mov rdi, r14
  return std::get<Block>(decode(bytes_from_hex("be010000004c89f7")));
}

std::size_t first_even_page(std::span<const std::uint32_t> readings, std::size_t wanted,
                            const ReadingStep& step, int turn) {
  constexpr double kMost = 1.05;
  const double most = kMost * median({readings.begin(), readings.end()}) + step.part.count();
  const std::size_t tried = wanted - kPagesTogether + 1;  // in as many pages
  std::vector<std::size_t> best;
  std::ptrdiff_t fewest = std::ssize(readings);
  for (std::size_t first = 0; first + tried <= readings.size(); ++first) {
    const auto uneven = std::ranges::count_if(
        readings.subspan(first, tried), [&](std::uint32_t reading) { return reading > most; });
    if (uneven > fewest) continue;
    if (uneven < fewest) best.clear();
    fewest = uneven;
    best.push_back(first);
  }
  // Multiples of the golden ratio, modulo 1: any few in a row lie evenly in 0 to 1.
  double whole = 0;
  const double part = std::modf(turn * std::numbers::phi, &whole);
  return best.at(static_cast<std::size_t>(part * static_cast<double>(best.size())));
}

}  // namespace assay
