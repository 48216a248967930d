#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/sampling/companions.h"

namespace assay {

/// What a series showed of a block at one placement. Cycles are core cycles per copy.
struct SeriesPoint {
  SeriesFate fate = SeriesFate::kTaken;
  std::size_t placement = 0;
  double cycles = 0;               ///< from the smallest to the largest size
  double variance = 0;             ///< of `cycles`, as the scatter of its readings has it
  double near_cycles = 0;          ///< from the smallest size to the one in the middle
  double far_cycles = 0;           ///< from there to the largest
  double cycles_per_addition = 0;  ///< of the canary
  CyclesPerReading ratio{};        ///< that it was scaled by
  CyclesPerReading own_ratio{};    ///< by its own reference alone
  double own_ratio_error = 0;      ///< standard error of that, as a share of it
  std::int64_t kept = 0;           ///< timed runs of the block, without far outliers
  std::int64_t dropped = 0;        ///< these
};

}  // namespace assay
