#include "profiler/sampling/layout_limit.h"

#include <algorithm>
#include <cstddef>

namespace assay {

std::vector<LayoutRun> layout_runs(const Plan& plan, const Round& first_round,
                                   std::span<const std::uint32_t> readings, Reading per_copy) {
  std::vector<LayoutRun> runs;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const KernelRun& run = first_round[i];
    if (!run.counts) continue;
    const Copies fewer = plan.copies(run.size) - plan.copies_at(run.alignment, run.size);
    runs.push_back({Reading(readings[i]), per_copy * fewer.real()});
  }
  return runs;
}

std::vector<Reading> layout_limits(std::span<const LayoutRun> runs, const ReadingStep& step) {
  constexpr std::size_t kAlike = 3;
  // Readings of one layout differ by the clock's step and a few cycles, and alignments of most
  // blocks by less than that share. Two lines in each other's way cost a short block a quarter of
  // its time, and a long one some per cent.
  constexpr double kShare = 0.02;
  constexpr double kSteps = 2;
  std::vector<double> sorted;
  for (const LayoutRun& run : runs) sorted.push_back((run.reading + run.behind).count());
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i + kAlike <= sorted.size(); ++i) {
    const double reach = kShare * sorted[i] + kSteps * step.part.count();
    if (sorted[i + kAlike - 1] - sorted[i] > reach) continue;
    std::vector<Reading> limits;
    for (const LayoutRun& run : runs) {
      limits.push_back(Reading(sorted[i + 1] + reach) - run.behind);
    }
    return limits;
  }
  return {};
}

}  // namespace assay
