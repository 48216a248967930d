#include "profiler/counting/event_tally.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/sampling/estimate.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The readings of one of `counters` counters.
std::vector<std::uint32_t> of_counter(std::span<const std::uint32_t> readings, std::size_t counters,
                                      std::size_t counter) {
  std::vector<std::uint32_t> own;
  for (std::size_t i = counter; i < readings.size(); i += counters) own.push_back(readings[i]);
  return own;
}

}  // namespace

Round counting_round(int times) {
  constexpr int kWarmUps = 2;
  Round round;
  for (const Slot slot : {Slot::kFull, Slot::kHalf, Slot::kQuarter}) {
    for (int i = 0; i < kWarmUps + times; ++i) round.push_back({slot, i >= kWarmUps});
  }
  return round;
}

void EventTally::add_series(const Round& round, std::span<const std::uint32_t> readings) {
  if (readings.size() % names_.size() != 0) throw Error("readings of another number of counters");
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Samples samples = by_slot(round, of_counter(readings, names_.size(), i));
    const auto& empty = samples[static_cast<std::size_t>(Slot::kQuarter)];
    const auto& small = samples[static_cast<std::size_t>(Slot::kHalf)];
    const auto& large = samples[static_cast<std::size_t>(Slot::kFull)];
    empty_[i].insert(empty_[i].end(), empty.begin(), empty.end());
    small_[i].insert(small_[i].end(), small.begin(), small.end());
    large_[i].insert(large_[i].end(), large.begin(), large.end());
    constexpr std::uint32_t kStep = 1;
    const double difference = robust_mean(large, kStep).mean - robust_mean(small, kStep).mean;
    per_copy_[i].push_back(difference / added_copies_);
  }
}

EventCount EventTally::count_of(std::size_t counter) const {
  const std::vector<double>& values = per_copy_[counter];
  const auto count = static_cast<double>(values.size());
  EventCount result;
  result.name = names_[counter];
  result.per_copy = mean(values);
  double squares = 0;
  for (const double value : values) {
    squares += (value - result.per_copy) * (value - result.per_copy);
  }
  const double scatter = student_quantile(count - 1) * std::sqrt(squares / (count - 1) / count);
  const double least = method_ == ReadMethod::kAround ? 1 : 0.5 / count;
  result.half_width = std::max(scatter, least / added_copies_);
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
