#include "profiler/sampling/samples.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

/// The distance from the center beyond which a reading is a far outlier. `distances` are those of
/// the readings from the center; their order is changed.
double far_outlier_distance(std::span<double> distances, Reading step) {
  constexpr double kSteps = 3;
  constexpr double kDeviations = 6;
  return std::max(kSteps * step.count(),
                  kDeviations * kDeviationOfNormal * median_in_place(distances));
}

/// The mean of readings that are at these distances from the center.
SampleMean mean_of_distances(std::span<const double> distances, double center) {
  SampleMean result{.mean = Reading(center + distances.front()), .kept = std::ssize(distances)};
  if (result.kept == 1) return result;
  const auto [mean, variance] = mean_and_variance(distances);
  result.mean = Reading(center + mean);
  result.variance = variance / static_cast<double>(result.kept);
  return result;
}

Readings& readings_of(Samples& samples, const KernelRun& run) {
  switch (run.code) {
    case Code::kBlock:
      return samples.block.at(run.size);
    case Code::kReference:
      return samples.reference.at(run.size);
    case Code::kCanary:
      return samples.canary.at(run.size);
  }
  throw Error("a run of code outside its enumeration");
}

}  // namespace

Samples samples_of(const Round& round, std::span<const std::uint32_t> readings) {
  return std::move(samples_by_alignment(round, readings).front());
}

std::vector<Samples> samples_by_alignment(const Round& round,
                                          std::span<const std::uint32_t> readings) {
  if (readings.empty() || readings.size() % round.size() != 0) {
    throw Error("a series of readings that is no whole number of rounds");
  }
  std::vector<Samples> alignments;
  const auto samples_at = [&](const KernelRun& run) -> Samples& {
    if (run.code != Code::kBlock) return alignments.front();
    const auto found = std::ranges::find(alignments, run.alignment, &Samples::alignment);
    return found == alignments.end() ? alignments.emplace_back(Samples{.alignment = run.alignment})
                                     : *found;
  };
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const KernelRun& run = round[i % round.size()];
    if (run.counts) readings_of(samples_at(run), run).push_back(readings[i]);
  }
  return alignments;
}

SampleMean robust_mean(std::span<const std::uint32_t> readings, Reading step) {
  // The buffer is kept from call to call: each series makes dozens of calls with a few readings
  // each.
  thread_local std::vector<double> scratch;
  scratch.assign(readings.begin(), readings.end());
  const double center = median_in_place(scratch);
  for (double& value : scratch) value = std::abs(value - center);
  const double reach = far_outlier_distance(scratch, step);
  const auto near = [&](std::uint32_t reading) { return std::abs(reading - center) <= reach; };
  const bool few_are_far = 5 * (std::ssize(readings) - std::ranges::count_if(readings, near)) <=
                           2 * std::ssize(readings);
  // Distances from the center are averaged, because squares of whole readings would lose digits.
  scratch.clear();
  for (const std::uint32_t reading : readings) {
    if (near(reading) || !few_are_far) scratch.push_back(reading - center);
  }
  SampleMean result = mean_of_distances(scratch, center);
  result.dropped = std::ssize(readings) - result.kept;
  return result;
}

SampleMean plain_mean(std::span<const std::uint32_t> readings) {
  return mean_of_distances(std::vector<double>(readings.begin(), readings.end()), 0);
}

}  // namespace assay
