#include "profiler/sampling/stamp_choice.h"

#include <algorithm>

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
  // A neighbour makes any reading scatter, and hides by how much stamps differ. He comes and goes
  // within a fraction of a millisecond, so that each candidate has a quiet moment in one of a few
  // passes over all, each of which takes some milliseconds.
  constexpr int kPasses = 4;
  const std::vector<TimeStamps> candidates = stamp_candidates();
  std::vector<StampTrial> quietest;
  for (const TimeStamps& candidate : candidates) quietest.push_back(trial(candidate));
  for (int pass = 1; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const StampTrial found = trial(candidates[i]);
      quietest[i].mean = std::min(quietest[i].mean, found.mean);
      quietest[i].variance = std::min(quietest[i].variance, found.variance);
    }
  }
  const Ticks single = quietest.front().mean;
  double least = quietest.front().variance * kUsualRun * single.count() / kWorthwhile;
  TimeStamps best = candidates.front();
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    // The trial's readings include the cost of the stamps at one of their ends only.
    const Ticks stamping = (quietest[i].mean - single) * 2;
    const double cost = quietest[i].variance * (single * kUsualRun + stamping).count();
    if (cost >= least) continue;
    least = cost;
    best = candidates[i];
  }
  return best;
}

}  // namespace assay
