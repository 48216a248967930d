#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// Readings of one kernel, as the subject gives them.
using Readings = std::vector<std::uint32_t>;

/// The readings of one series by kernel, without those that do not count.
struct Samples {
  std::array<Readings, kMostSizes> block;
  std::array<Readings, kCompanionSizes> reference;
  std::array<Readings, kCompanionSizes> canary;
};

/// Of a round at one placement. `readings`: round after round. Throws Error for a broken number of
/// rounds or none.
Samples samples_of(const Round& round, std::span<const std::uint32_t> readings);
/// The same for each placement of a round: what companions read is among those of the first.
std::vector<Samples> samples_by_placement(const Round& round,
                                          std::span<const std::uint32_t> readings);

/// The readings of one kernel, reduced.
struct SampleMean {
  Reading mean;
  double variance = 0;  ///< of the mean, in readings squared
  std::int64_t kept = 0;
  std::int64_t dropped = 0;  ///< far outliers
};

/// Mean of the readings without far outliers: those further from the median than three steps of the
/// clock and six times the scaled median absolute deviation. Far, because a reading of a coarse
/// clock is one of two values whose share carries the information: trimming such a sample biases
/// its mean, and so does its median; dropping what an interrupt made does not. `readings`: at least
/// one; `step`: of the clock, as it shows in a reading (ReadingStep::whole).
SampleMean robust_mean(std::span<const std::uint32_t> readings, Reading step);

}  // namespace assay
