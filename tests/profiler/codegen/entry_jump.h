#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/zydis.h"

namespace assay {

/// Where the JMP of an entry lies, near or far, that leads to the copies: the first one in its
/// code, which begins with the entry. Nothing if there is none.
inline std::optional<std::size_t> entry_jump(std::span<const std::uint8_t> code) {
  for (std::size_t offset = 0; offset < code.size();) {
    const auto decoded = decode_one(code.subspan(offset));
    if (!decoded) return std::nullopt;
    if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_JMP) return offset;
    offset += decoded->instruction.length;
  }
  return std::nullopt;
}

}  // namespace assay
