#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

/// The 32-bit number at `offset`, as SQLite's files hold it. `bytes` must reach beyond it.
inline std::uint32_t big_endian(std::span<const unsigned char> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | bytes[offset + i];
  return value;
}

}  // namespace assay
