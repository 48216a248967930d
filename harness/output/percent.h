#pragma once

#include <cstdint>

namespace assay {

/// A part of a whole in per cent; 0 of nothing.
inline double percent(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace assay
