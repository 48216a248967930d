#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace assay {

/// The numbers in one instruction's source text, as the assembler understood them.
struct WrittenNumbers {
  std::vector<std::int64_t> immediates;      ///< in the order in which they are encoded
  std::optional<std::int64_t> displacement;  ///< of the memory operand
};

/// The first of the written numbers that the instruction encoded at the start of `code` does not
/// hold: LLVM's assembler silently encodes `mov al, 300` as `mov al, 44`. A negative number and its
/// unsigned equal (-1 and 255 in a byte) both count as held. Nothing if every number is held, or if
/// the bytes do not decode (such bytes never become a Block).
std::optional<std::int64_t> lost_number(std::span<const std::uint8_t> code,
                                        const WrittenNumbers& written);

}  // namespace assay
