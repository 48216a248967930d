#pragma once

#include <optional>

#include "profiler/support/units.h"

namespace assay {

/// What the readings of runs are counted in.
struct Clock {
  Ticks granularity{1};  ///< the smallest difference of two stamps that differ
  /// 1 where core cycles themselves are counted; nothing where it has to be found, by the reference
  /// chain.
  std::optional<CyclesPerTick> cycles_per_tick;
};

}  // namespace assay
