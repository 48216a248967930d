#pragma once

#include <cstdint>

namespace assay {

/// A number from 0 up to 1 for each index, of which any few in a row lie evenly in that range (van
/// der Corput's sequence to base 2: 0, 1/2, 1/4, 3/4, 1/8, ...).
constexpr double evenly_spread(std::uint32_t index) {
  double part = 0;
  double digit = 0.5;
  for (; index > 0; index /= 2, digit /= 2) part += digit * (index % 2);
  return part;
}
static_assert(evenly_spread(0) == 0 && evenly_spread(1) == 0.5 && evenly_spread(6) == 0.375);

}  // namespace assay
