#include "profiler/sampling/stamp_choice.h"

namespace assay {

std::vector<TimeStamps> stamp_candidates() {
  constexpr int kLargestSpacing = 16;
  std::vector<TimeStamps> candidates = {{1, 0}};
  for (const int count : {3, 4, 5, 6}) {
    for (int spacing = 0; spacing <= kLargestSpacing; ++spacing) {
      candidates.push_back({count, spacing});
    }
  }
  return candidates;
}

TimeStamps choose_stamps(const std::function<StampTrial(const TimeStamps&)>& trial) {
  // A run of a block, with what frames it, takes about so many times as long as the trial's.
  constexpr double kUsualRun = 3;
  constexpr double kWorthwhile = 2;
  Ticks single;  // mean of one stamp's trial
  double least = 0;
  TimeStamps best;
  for (const TimeStamps& candidate : stamp_candidates()) {
    const StampTrial found = trial(candidate);
    if (candidate.count == 1) {
      single = found.mean;
      least = found.variance * kUsualRun * single.count() / kWorthwhile;
      continue;
    }
    // The trial's reading holds what stamps cost at one of its ends.
    const Ticks stamping = (found.mean - single) * 2;
    const double cost = found.variance * (single * kUsualRun + stamping).count();
    if (cost >= least) continue;
    least = cost;
    best = candidate;
  }
  return best;
}

}  // namespace assay
