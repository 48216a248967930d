#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "profiler/block/block.h"

namespace assay {

/// When a conditional branch at a block's end is taken, as a comparison of two operands, A and B,
/// that an instruction of the block makes (cmp, test, sub, add, inc, dec, loop, ...).
struct LoopCondition {
  /// How A is to B when the branch is taken. Signs and carries count as if nothing overflowed.
  enum class Relation : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kGreaterOrEqual,
    kGreater,
    kLessOrEqual,
    kBelow,  ///< unsigned, from here on
    kAboveOrEqual,
    kAbove,
    kBelowOrEqual,
  };

  /// The low `bits` bits of a register, a value in memory, or a constant.
  struct Operand {
    std::optional<GeneralRegister> reg{};
    bool memory = false;         ///< the only memory operand that the instruction reads
    std::uint64_t constant = 0;  ///< if it is neither of these; modulo 2^bits
  };

  std::size_t setter = 0;  ///< index in Block::instructions of the one that sets the flags
  int bits = 64;           ///< width of the operands: 8, 16, 32 or 64
  Relation relation = Relation::kNotEqual;
  Operand a;  ///< before the setter changes it
  Operand b;
  /// Whether the setter does nothing but compare registers and constants right before a branch that
  /// cores fuse it with into one operation, as they do with DEC and JNZ, and nothing else reads its
  /// flags.
  bool only_compares = false;

  /// The general registers that it compares; bit i stands for GeneralRegister i.
  std::uint16_t registers() const;
  /// Whether it holds for two values, of which the low `bits` bits count.
  bool holds(std::uint64_t a_value, std::uint64_t b_value) const;
  /// The low `bits` bits, with their sign.
  std::int64_t sign_extended(std::uint64_t value) const;
};

/// The condition of the block's final branch; nothing if that is not conditional, or if it is
/// another condition than those above: of parity or overflow, or of the result of a
/// shift, of a division, of bits that are tested, of a floating-point comparison.
std::optional<LoopCondition> loop_condition(const Block& block);

}  // namespace assay
