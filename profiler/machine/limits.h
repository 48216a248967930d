#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "profiler/block/block.h"

namespace assay {

/// What a core can do at most, in each cycle.
struct MachineLimits {
  std::string_view microarchitecture;  ///< Machine::microarchitecture
  /// Register additions that do not wait for each other, in straight-line code.
  double additions_per_cycle = 0;
  /// Instructions that the front end hands on, but for NOPs and fused pairs.
  double operations_per_cycle = 0;
  double loads_per_cycle = 0;   ///< of whatever size
  double stores_per_cycle = 0;  ///< of whatever size
  double taken_branches_per_cycle = 0;
  /// Whether every limit was reached, and none exceeded, on such a core by assay itself. Those of
  /// other rows come from documents, and are the larger ones where these are in doubt: a floor that
  /// is too low lets a bad value pass, one that is too high refuses a good one. Do not take
  /// their additions_per_cycle for what an undisturbed core reaches.
  bool tested = false;
};

/// Core cycles that what is asked for takes at least.
double floor_of(const Demand& demand, const MachineLimits& limits);

/// The limits of that microarchitecture; nothing for one that is not in the table, where they have
/// to be found by measurement (protocol/measured_limits.h).
std::optional<MachineLimits> limits_of(std::string_view microarchitecture);

/// The whole table.
std::span<const MachineLimits> all_limits();

}  // namespace assay
