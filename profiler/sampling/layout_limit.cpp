#include "profiler/sampling/layout_limit.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace assay {

std::optional<Reading> layout_limit(const Round& first_round,
                                    std::span<const std::uint32_t> readings,
                                    const ReadingStep& step) {
  constexpr std::size_t kAlike = 3;
  // Readings of one layout differ by the clock's step and a few cycles, and alignments of most
  // blocks by less than that share. Two lines in each other's way cost a short block a quarter of
  // its time, and a long one some per cent.
  constexpr double kShare = 0.02;
  constexpr double kSteps = 2;
  std::vector<double> sorted;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (first_round[i].tells_layout) sorted.push_back(readings[i]);
  }
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i + kAlike <= sorted.size(); ++i) {
    const double reach = kShare * sorted[i] + kSteps * step.part.count();
    if (sorted[i + kAlike - 1] - sorted[i] <= reach) return Reading(sorted[i + 1] + reach);
  }
  return std::nullopt;
}

}  // namespace assay
