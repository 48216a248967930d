#pragma once

#include <cstdint>
#include <optional>

#include "suites/generate/operand_use.h"

namespace assay {

/// What a register must hold for the instruction to run as meant.
struct Need {
  enum class Kind : std::uint8_t {
    kAnything,
    kAddress,  ///< one that the initial state has
    kNumber,
  };
  Kind kind = Kind::kAnything;
  std::uint64_t number = 0;  ///< of kNumber
  bool must = true;          ///< else it runs with any value, in another time
  bool operator==(const Need&) const = default;
};

/// Of one of the instruction's uses: addresses for bases; 0 for indices, bit offsets into memory
/// and what selects a register or part of the processor's state (xgetbv, xsave); for divisions a
/// dividend of 64, of which the upper half is 0, and a divisor of 1, so that a quotient that is
/// divided again stays what it is; for repeated string instructions a count of kRepeatCount; all
/// ones for the mask of a gather or scatter; for shifts by CL a count of 2 (by 0 they leave the
/// flags alone, which AMD Zen 4 takes 30 cycles to find out).
Need need_of(const Decoded& decoded, const OperandUse& use);

/// What all memory words must hold; nothing if it does not matter: a divisor, or what is loaded
/// into MXCSR, the x87 control word or the flags.
std::optional<std::uint64_t> memory_word_need(const Decoded& decoded);
/// 1.0, once or as often as it fits, where the instruction reads memory as floating-point numbers:
/// addresses would be subnormal ones, which take other times. It runs with anything else too.
std::optional<std::uint64_t> memory_word_of_numbers(const Decoded& decoded);

/// Whether the instruction itself spoils what it needs there: each copy must set it anew.
bool is_used_up(const Decoded& decoded, const OperandUse& use);

inline constexpr std::uint64_t kRepeatCount = 4;

}  // namespace assay
