#pragma once

#include <cstddef>
#include <cstdint>

#include "profiler/sampling/companions.h"

namespace assay {

/// What a series showed of a block at one alignment. Cycles are core cycles per copy.
struct SeriesPoint {
  SeriesFate fate = SeriesFate::kTaken;
  std::size_t alignment = 0;
  /// Where copies begin there (Plan::place_at()); the alignment where a plan has no places.
  std::size_t place = 0;
  double cycles = 0;               ///< from the difference of the smallest and the largest size
  double variance = 0;             ///< variance of `cycles` by the scatter of its readings
  double first_cycles = 0;         ///< from the difference of the smallest and the middle size
  double difference_variance = 0;  ///< as `variance`, of further cycles less `first_cycles`
  double run_variance = 0;         ///< of the cycles of one run, the mean over the sizes
  double cycles_per_nop = 0;       ///< the canary's rate
  CyclesPerReading ratio{};        ///< the ratio that readings were scaled by
  std::int64_t kept = 0;           ///< timed runs of the block, without far outliers
  std::int64_t dropped = 0;        ///< far outliers among its timed runs
  int retried = 0;                 ///< SampledSeries::retried of its series
};

}  // namespace assay
