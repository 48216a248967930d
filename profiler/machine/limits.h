#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace assay {

/// What a core can do at most.
struct MachineLimits {
  std::string_view microarchitecture;  ///< Machine::microarchitecture
  double additions_per_cycle = 0;  ///< 32-bit register additions that do not wait for each other
};

/// The limits that were checked on a core of that microarchitecture; nothing for any other, where
/// they have to be found by measurement.
std::optional<MachineLimits> limits_of(std::string_view microarchitecture);

}  // namespace assay
