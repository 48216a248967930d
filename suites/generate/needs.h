#pragma once

#include <cstdint>
#include <optional>

#include "suites/generate/operand_use.h"

namespace assay {

/// What a register must hold for the instruction to run as meant.
struct Need {
  enum class Kind : std::uint8_t {
    kAnything,
    kAddress,  ///< an address that the initial state has
    kNumber,   ///< `number`
  };
  Kind kind = Kind::kAnything;
  std::uint64_t number = 0;  ///< only for kNumber
  bool must = true;          ///< if false, it runs with any value too, but may take another time
  bool operator==(const Need&) const = default;
};

/// What the register of one of the instruction's uses must hold: addresses for bases; 0 for
/// indices, bit offsets into memory and what selects a register or part of the processor's state
/// (xgetbv, xsave); for divisions a dividend of 64, whose upper half is 0, and a divisor of 1, so
/// that a quotient that is divided again stays the same; for repeated string instructions a count
/// of kRepeatCount; all ones for the mask of a gather or scatter; for shifts by CL a count of 2
/// (shifts by 0 leave the flags alone, which AMD Zen 4 takes 30 cycles to find out).
Need need_of(const Decoded& decoded, const OperandUse& use);

/// What all memory words must hold if the instruction reads a divisor from memory, or loads MXCSR,
/// the x87 control word or the flags; nothing for instructions with which it does not matter.
std::optional<std::uint64_t> memory_word_need(const Decoded& decoded);
/// What memory words should hold if the instruction reads memory as floating-point numbers: 1.0, as
/// often as it fits. It runs with anything else too, but addresses would be subnormal numbers,
/// which take other times.
std::optional<std::uint64_t> memory_word_of_numbers(const Decoded& decoded);

/// Whether the instruction itself overwrites the value that it needs there, so that each copy must
/// set it anew.
bool is_used_up(const Decoded& decoded, const OperandUse& use);

inline constexpr std::uint64_t kRepeatCount = 4;

}  // namespace assay
