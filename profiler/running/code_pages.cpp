#include "profiler/running/code_pages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <variant>
#include <vector>

#include "profiler/sampling/samples.h"
#include "profiler/support/evenly_spread.h"
#include "profiler/support/statistics.h"

namespace assay {

Block roomy_block() {
  // mov esi, 1; mov rdi, r14
  return std::get<Block>(decode(bytes_from_hex("be010000004c89f7")));
}

std::size_t first_even_page(std::span<const std::uint32_t> readings, std::size_t wanted,
                            const ReadingStep& step, std::uint32_t turn) {
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
  return best.at(static_cast<std::size_t>(evenly_spread(turn) * static_cast<double>(best.size())));
}

double bend(std::span<const std::uint32_t> readings, Reading step) {
  std::array<Readings, 3> of_sizes;
  for (std::size_t i = kBendRuns - 1; i < readings.size(); i += kBendRuns) {
    of_sizes[i / kBendRuns % of_sizes.size()].push_back(readings[i]);
  }
  const auto mean = [&](std::size_t size) { return robust_mean(of_sizes[size], step).mean; };
  const Reading nearer = mean(1) - mean(0);
  const Reading further = mean(2) - mean(1);
  return (further - nearer).count() / (further + nearer).count();
}

std::size_t straight_place(std::size_t places, double most,
                           const std::function<double(std::size_t)>& bend_at) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t place = 0; place < places && least > most; ++place) {
    const double bend = std::abs(bend_at(place));
    if (!(bend < least)) continue;  // as of what is not a number
    least = bend;
    best = place;
  }
  return best;
}

}  // namespace assay
