#include "profiler/counting/event_tally.h"

#include <algorithm>

#include "profiler/sampling/samples.h"
#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

/// The readings of one counter among readings of `counters` counters in turn.
Readings of_counter(std::span<const std::uint32_t> readings, std::size_t counters,
                    std::size_t counter) {
  Readings own;
  for (std::size_t i = counter; i < readings.size(); i += counters) own.push_back(readings[i]);
  return own;
}

}  // namespace

Round counting_round(int times) {
  constexpr int kWarmUps = 2;
  Round round;
  for (const std::size_t size : {kManyCopies, kFewCopies, kNoCopies}) {
    add_runs(round, {.size = size}, kWarmUps, times);
  }
  return round;
}

void EventTally::add_series(const Round& round, std::span<const std::uint32_t> readings) {
  if (readings.size() % names_.size() != 0) throw Error("readings of another number of counters");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Samples samples = samples_of(round, of_counter(readings, names_.size(), i));
    const Readings& empty = samples.block[kNoCopies];
    const Readings& small = samples.block[kFewCopies];
    const Readings& large = samples.block[kManyCopies];
    empty_[i].insert(empty_[i].end(), empty.begin(), empty.end());
    small_[i].insert(small_[i].end(), small.begin(), small.end());
    large_[i].insert(large_[i].end(), large.begin(), large.end());
    constexpr Reading kStep(1);
    const Reading difference = robust_mean(large, kStep).mean - robust_mean(small, kStep).mean;
    per_copy_[i].push_back(difference.count() / added_copies_);
  }
}

EventCount EventTally::count_of(std::size_t counter) const {
  const MeanInterval interval = mean_interval(per_copy_[counter]);
  EventCount result;
  result.name = names_[counter];
  result.per_copy = interval.mean;
  const double least = method_ == ReadMethod::kAround ? 1 : 0.5 / series();
  result.half_width = std::max(interval.half_width, least / added_copies_);
  result.overhead = median(empty_[counter]);
  result.pass = pass_;
  return result;
}

std::vector<EventCount> EventTally::counts() const {
  const double cycles = count_of(0).per_copy;
  std::vector<EventCount> counts;
  for (std::size_t i = 1; i < names_.size(); ++i) {
    counts.push_back(count_of(i));
    counts.back().pass_cycles = cycles;
  }
  return counts;
}

double EventTally::growth(std::size_t event) const {
  return median(large_[event + 1]) - median(small_[event + 1]);
}

}  // namespace assay
