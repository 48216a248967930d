#pragma once

#include <concepts>

namespace assay {

/// The least multiple of `unit` that is no less than `value`. Neither may be negative, nor the unit
/// 0.
template <std::integral Number>
constexpr Number rounded_up(Number value, Number unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace assay
