#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// Readings of one kernel, in the order in which the subject took them.
/// Most kernels have a few in a series, which need no memory of their own.
using Readings = boost::container::small_vector<std::uint32_t, 8>;

/// The readings of one series sorted by kernel, without those of runs that do not count.
struct Samples {
  std::size_t alignment = 0;  ///< of the block's code
  std::array<Readings, kMostSizes> block{};
  std::array<Readings, kCompanionSizes> reference{};
  std::array<Readings, kCompanionSizes> canary{};
};

/// Sorts the readings of a round with one alignment. `readings` are ordered by round. Throws Error
/// if they are none, or not a whole number of rounds.
Samples samples_of(const Round& round, std::span<const std::uint32_t> readings);
/// Sorts readings for each alignment that a round has, in the order in which they come. Those of
/// the companions are with the first one's.
std::vector<Samples> samples_by_alignment(const Round& round,
                                          std::span<const std::uint32_t> readings);

/// The readings of one kernel, reduced to their mean.
struct SampleMean {
  Reading mean;
  double variance = 0;  ///< variance of the mean, in readings squared
  std::int64_t kept = 0;
  std::int64_t dropped = 0;  ///< number of far outliers
};

/// The mean of the readings without far outliers, which are farther from the median than three
/// steps of the clock and six times the scaled median absolute deviation. Only far ones are
/// dropped, because a reading of a coarse clock has one of two values whose proportion carries the
/// information: trimming such a sample biases its mean, and taking its median does too, but
/// dropping what an interrupt caused does not. If more than two in five are far, they are no
/// accident, and none is dropped. There must be at least one reading. `step` is the clock's step as
/// it shows in a reading (ReadingStep).
SampleMean robust_mean(std::span<const std::uint32_t> readings, Reading step);

/// The mean of all readings, of which there must be at least one.
SampleMean plain_mean(std::span<const std::uint32_t> readings);

}  // namespace assay
