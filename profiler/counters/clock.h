#pragma once

#include <cstdint>
#include <optional>

namespace assay {

/// What the readings of runs are counted in.
struct Clock {
  std::uint32_t granularity = 1;  ///< ticks: the smallest difference of two stamps that differ
  /// Core cycles in a tick: 1 where core cycles themselves are counted; nothing where it has to be
  /// found, by the reference chain.
  std::optional<double> cycles_per_tick;
};

}  // namespace assay
