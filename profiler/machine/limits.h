#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profiler/block/block.h"

namespace assay {

/// What a core can do at most.
struct MachineLimits {
  std::string_view microarchitecture;  ///< Machine::microarchitecture
  /// Register additions that do not wait for each other, in straight-line code.
  double additions_per_cycle = 0;
  /// Instructions that the front end hands on in a cycle, but for NOPs and fused pairs.
  double operations_per_cycle = 0;
  double loads_per_cycle = 0;   ///< of general registers
  double stores_per_cycle = 0;  ///< of general registers
};

/// Core cycles that a copy of a block takes at least.
double floor_of(const Demand& demand, const MachineLimits& limits);

/// The limits that were checked on a core of that microarchitecture; nothing for any other, where
/// they have to be found by measurement.
std::optional<MachineLimits> limits_of(std::string_view microarchitecture);

}  // namespace assay
