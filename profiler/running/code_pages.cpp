#include "profiler/running/code_pages.h"

#include <algorithm>
#include <vector>

#include "profiler/support/statistics.h"

namespace assay {

std::size_t first_even_page(std::span<const std::uint32_t> readings, std::size_t wanted,
                            const ReadingStep& step) {
  constexpr double kMost = 1.05;
  const double most = kMost * median({readings.begin(), readings.end()}) + step.part.count();
  const std::size_t tried = wanted - kPagesTogether + 1;  // in as many pages
  std::size_t best = 0;
  std::ptrdiff_t fewest = std::ssize(readings);
  for (std::size_t first = 0; first + tried <= readings.size(); ++first) {
    const auto uneven = std::ranges::count_if(
        readings.subspan(first, tried), [&](std::uint32_t reading) { return reading > most; });
    if (uneven >= fewest) continue;
    fewest = uneven;
    best = first;
  }
  return best;
}

}  // namespace assay
