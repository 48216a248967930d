#include "profiler/sampling/sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/support/error.h"

namespace assay {
namespace {

/// The upper one of the two in the middle if their number is even. Changes the order.
double middle_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// `distances` of the readings from their center.
double far_outlier_distance(std::vector<double>& distances, std::uint32_t step) {
  constexpr double kSteps = 3;
  constexpr double kDeviations = 6;
  constexpr double kDeviationOfNormal = 1.4826;  // standard deviation by median absolute deviation
  return std::max(kSteps * step, kDeviations * kDeviationOfNormal * middle_of(distances));
}

void add_turns(Round& round, Slot slot, int warm_ups, int times, std::size_t place = 0) {
  for (int i = 0; i < warm_ups; ++i) round.push_back({slot, false, place});
  for (int i = 0; i < times; ++i) round.push_back({slot, true, place});
}

void add_reference(Round& round) {
  add_turns(round, Slot::kReferenceSmall, 1, 1);
  add_turns(round, Slot::kReferenceLarge, 1, 1);
}

void add_canary(Round& round) {
  add_turns(round, Slot::kCanaryLarge, 2, 2);
  add_turns(round, Slot::kCanarySmall, 1, 2);
}

}  // namespace

double median(std::vector<double> values) { return middle_of(values); }

SampleMean robust_mean(std::span<const std::uint32_t> readings, std::uint32_t step) {
  // Kept from call to call: there are dozens for each series, of a few readings each.
  thread_local std::vector<double> scratch;
  scratch.assign(readings.begin(), readings.end());
  const double center = middle_of(scratch);
  for (double& value : scratch) value = std::abs(value - center);
  const double reach = far_outlier_distance(scratch, step);
  SampleMean result;
  double sum = 0;
  double squares = 0;
  for (const std::uint32_t reading : readings) {
    const double distance = reading - center;
    if (std::abs(distance) > reach) continue;
    sum += distance;
    squares += distance * distance;
    ++result.kept;
  }
  const auto kept = static_cast<double>(result.kept);
  result.dropped = static_cast<std::int64_t>(readings.size()) - result.kept;
  result.mean = center + sum / kept;
  if (result.kept > 1) {
    result.variance = std::max(0.0, squares - sum * sum / kept) / (kept - 1) / kept;
  }
  return result;
}

Round interleaved_round(int times, std::size_t places) {
  constexpr int kFirstWarmUps = 3;
  constexpr int kWarmUps = 1;
  Round round;
  for (std::size_t place = 0; place < places; ++place) {
    const std::size_t first = round.size();
    add_turns(round, Slot::kFull, kFirstWarmUps, times, place);
    round[first].evict = places > 1;
    add_turns(round, Slot::kHalf, kWarmUps, (times + 1) / 2, place);
    add_turns(round, Slot::kQuarter, kWarmUps, times, place);
    if (place % 2 == 0) add_reference(round);
    if (place % 2 == 1 || places == 1) add_canary(round);
  }
  return round;
}

Round pair_round(int warm_ups) {
  Round round;
  add_turns(round, Slot::kFull, warm_ups, 1);
  add_turns(round, Slot::kHalf, warm_ups, 1);
  add_reference(round);
  add_canary(round);
  return round;
}

Samples by_slot(const Round& round, std::span<const std::uint32_t> readings) {
  return std::move(by_place(round, readings).front());
}

std::vector<Samples> by_place(const Round& round, std::span<const std::uint32_t> readings) {
  if (readings.empty() || readings.size() % round.size() != 0) {
    throw Error("a series of readings that is no whole number of rounds");
  }
  std::vector<Samples> places(1 + std::ranges::max(round, {}, &Turn::place).place);
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const Turn& turn = round[i % round.size()];
    if (turn.counts) places[turn.place][static_cast<std::size_t>(turn.slot)].push_back(readings[i]);
  }
  return places;
}

}  // namespace assay
