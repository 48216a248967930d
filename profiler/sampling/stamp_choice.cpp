#include "profiler/sampling/stamp_choice.h"

#include <algorithm>

namespace assay {
namespace {

/// What a run of a block costs for each run that a mean needs to be as sure: its time, as far as
/// the stamps are what differs, by the variance of its reading.
double cost_of(const StampTrial& trial, Ticks single) {
  // A run of a block, with the code around the copies, usually takes this many times as long as one
  // of the trial.
  constexpr double kUsualRun = 3;
  // The trial's readings include the cost of the stamps at one of their ends only.
  const Ticks stamping = (trial.mean - single) * 2;
  return trial.variance * (single * kUsualRun + stamping).count();
}

}  // namespace

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
  constexpr double kWorthwhile = 1.2;  // several stamps must be better by this factor
  // A neighbour makes any reading scatter, and hides by how much stamps differ. He comes and goes
  // within a fraction of a millisecond, so that each candidate has a quiet moment in one of a few
  // passes over all, each of which takes some milliseconds.
  constexpr int kPasses = 4;
  constexpr int kMorePasses = 16;  // over the best of several stamps, and the single one
  const std::vector<TimeStamps> candidates = stamp_candidates();
  std::vector<StampTrial> quietest;
  for (const TimeStamps& candidate : candidates) quietest.push_back(trial(candidate));
  const auto try_again = [&](std::size_t i) {
    const StampTrial found = trial(candidates[i]);
    quietest[i].mean = std::min(quietest[i].mean, found.mean);
    quietest[i].variance = std::min(quietest[i].variance, found.variance);
  };
  for (int pass = 1; pass < kPasses; ++pass) {
    for (std::size_t i = 0; i < candidates.size(); ++i) try_again(i);
  }
  const auto cost = [&](std::size_t i) { return cost_of(quietest[i], quietest.front().mean); };
  std::size_t best = 1;
  for (std::size_t i = 2; i < candidates.size(); ++i) {
    if (cost(i) < cost(best)) best = i;
  }
  // The best of so many is the best partly by chance, and the single stamp has had no such chance.
  for (int pass = 0; pass < kMorePasses; ++pass) {
    try_again(0);
    try_again(best);
  }
  return kWorthwhile * cost(best) < cost(0) ? candidates[best] : candidates.front();
}

}  // namespace assay
