#pragma once

#include <optional>

#include "profiler/support/units.h"

namespace assay {

/// The unit in which the readings of runs are counted.
struct Clock {
  Ticks step{1};  ///< by how much it advances at once
  /// 1 if the clock counts core cycles itself; nothing if the ratio has to be found by the
  /// reference chain.
  std::optional<CyclesPerTick> cycles_per_tick;
};

}  // namespace assay
