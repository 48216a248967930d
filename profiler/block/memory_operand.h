#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// The indices of a gather or scatter: each active lane is an access of its own.
struct VectorIndex {
  int reg = 0;        ///< 0 to 31
  int bits = 0;       ///< of the register: 128, 256 or 512
  int lane_bits = 0;  ///< of one index, sign-extended: 32 or 64
  int lanes = 0;      ///< elements that are moved at most
  bool evex = false;  ///< active lanes are bits of an opmask; else the lanes' signs in a vector
  int mask = 0;       ///< that opmask or vector register
  int mask_bits = 0;  ///< of a vector mask: 128 or 256; 0 if it is an opmask
  int scale = 1;
};

/// One memory operand of an instruction, explicit or implicit (push, movs, ...), as a formula: what
/// its address is made of. The sum of all parts is truncated to 32 bits if `address_32`, then the
/// segment's base is added.
struct MemoryOperand {
  enum class Segment : std::uint8_t { kNone, kFs, kGs };

  std::optional<GeneralRegister> base;
  std::optional<GeneralRegister> index;
  int index_bits = 64;  ///< so many low bits of the index register count: 8 for xlat
  int scale = 1;
  std::uint64_t displacement = 0;  ///< what a push or pop itself adds included
  bool rip_relative = false;       ///< the address of the next instruction is added
  bool address_32 = false;
  Segment segment = Segment::kNone;
  /// bt and its kin: bits in this register, signed, reach any word around the one that is named.
  std::optional<GeneralRegister> bit_offset;
  int bit_offset_bits = 64;  ///< so many low bits of the register count; the word's size too
  bool whole_line = false;   ///< clzero: the 64 bytes around the address
  /// REP and its kin: elements follow each other up or down, as many as it comes to. Every other
  /// part of the formula then names the first of them, and `base` is moved behind the last.
  bool repeated = false;
  std::optional<VectorIndex> vector_index;

  int size = 0;       ///< bytes; of one element where there are several
  int alignment = 1;  ///< bytes: the instruction faults unless address is a multiple of it
  bool read = false;
  bool write = false;  ///< both are set where it is not sure that the instruction does so

  /// Bit i: GeneralRegister i is a part of the address.
  std::uint16_t general_registers() const;
};

/// The memory operands of the one instruction at the start of `code`, in Zydis's order; none if the
/// bytes decode to nothing. Not among them: what a masked move leaves out (the whole operand counts
/// as accessed), the levels of `enter` beyond the first push, and table look-ups of MPX.
std::vector<MemoryOperand> memory_operands(std::span<const std::uint8_t> code);

}  // namespace assay
