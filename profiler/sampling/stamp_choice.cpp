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
  // A run of a block, with the code around the copies, usually takes this many times as long as one
  // of the trial.
  constexpr double kUsualRun = 3;
  constexpr double kWorthwhile = 2;  // several stamps must be better by this factor
  Ticks single;                      // the mean of the trial with one stamp
  double least = 0;
  TimeStamps best;
  for (const TimeStamps& candidate : stamp_candidates()) {
    const StampTrial found = trial(candidate);
    if (candidate.count == 1) {
      single = found.mean;
      least = found.variance * kUsualRun * single.count() / kWorthwhile;
      continue;
    }
    // The trial's readings include the cost of the stamps at one of their ends only.
    const Ticks stamping = (found.mean - single) * 2;
    const double cost = found.variance * (single * kUsualRun + stamping).count();
    if (cost >= least) continue;
    least = cost;
    best = candidate;
  }
  return best;
}

}  // namespace assay
