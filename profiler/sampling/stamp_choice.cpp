#include "profiler/sampling/stamp_choice.h"

#include <algorithm>
#include <numeric>

namespace assay {
namespace {

/// What a run of a block costs for each run that a mean needs to be as sure: its time, as far as
/// the stamps are what differs, by the variance of its reading.
double cost_of(const StampTrial& trial, Ticks single) {
  // A run, whether it counts or not, takes this many times as long as one of the trial, without its
  // stamps but with all that the subject does for it (Zen 5: the median of 826 series of
  // sqlite's first blocks).
  constexpr double kUsualRun = 1.7;
  // What stamps cannot make surer, in ticks squared: by how much the time of so many copies is off
  // a straight line (2 cycles, see series_plan.cpp), times the runs that a size has.
  constexpr double kUnresolved = 9;
  // The trial's readings include the cost of the stamps at one of their ends only.
  const Ticks stamping = (trial.mean - single) * 2;
  return (trial.variance + kUnresolved) * (single * kUsualRun + stamping).count();
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
  // The best of so many are the best partly by chance: these, and the single stamp, are tried on.
  constexpr std::size_t kFinalists = 8;
  constexpr int kMorePasses = 16;
  const std::vector<TimeStamps> candidates = stamp_candidates();
  std::vector<StampTrial> quietest;
  for (const TimeStamps& candidate : candidates) quietest.push_back(trial(candidate));
  const auto try_again = [&](std::size_t i) {
    const StampTrial found = trial(candidates[i]);
    quietest[i].mean = std::min(quietest[i].mean, found.mean);
    quietest[i].variance = std::min(quietest[i].variance, found.variance);
  };
  const auto cost = [&](std::size_t i) { return cost_of(quietest[i], quietest.front().mean); };
  std::vector<std::size_t> several(candidates.size() - 1);
  std::iota(several.begin(), several.end(), std::size_t{1});
  for (int pass = 1; pass < kPasses; ++pass) {
    try_again(0);
    for (const std::size_t i : several) try_again(i);
  }
  const auto last = several.begin() + kFinalists;
  std::ranges::partial_sort(several, last, {}, cost);
  several.erase(last, several.end());
  for (int pass = 0; pass < kMorePasses; ++pass) {
    try_again(0);
    for (const std::size_t i : several) try_again(i);
  }
  const std::size_t best = *std::ranges::min_element(several, {}, cost);
  return kWorthwhile * cost(best) < cost(0) ? candidates[best] : candidates.front();
}

}  // namespace assay
