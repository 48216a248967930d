#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// The indices of a gather or scatter, each active lane of which is a separate access.
struct VectorIndex {
  int reg = 0;        ///< number of the vector register with the indices: 0 to 31
  int bits = 0;       ///< width of that register: 128, 256 or 512
  int lane_bits = 0;  ///< width of one index, which is sign-extended: 32 or 64
  int lanes = 0;      ///< the largest number of elements that may be moved
  bool evex = false;  ///< active lanes are set bits of an opmask; otherwise, signs in a vector
  int mask = 0;       ///< number of that opmask or vector register
  int mask_bits = 0;  ///< width of a vector mask: 128 or 256; 0 if the mask is an opmask
  int scale = 1;
};

/// One memory operand of an instruction, explicit or implicit (push, movs, ...), as the formula of
/// its address. The sum of all parts is truncated to 32 bits if `address_32`; then the segment's
/// base is added.
struct MemoryOperand {
  enum class Segment : std::uint8_t { kNone, kFs, kGs };

  std::optional<GeneralRegister> base;
  std::optional<GeneralRegister> index;
  int index_bits = 64;  ///< how many low bits of the index register count: 8 for xlat
  int scale = 1;
  std::uint64_t displacement = 0;  ///< includes what a push or pop itself adds
  bool rip_relative = false;       ///< whether the next instruction's address is added
  bool address_32 = false;
  Segment segment = Segment::kNone;
  /// The register with the bit offset of bt and its kin. It is signed, so that they may access any
  /// word before or behind the one that the rest of the operand names.
  std::optional<GeneralRegister> bit_offset;
  int bit_offset_bits = 64;  ///< how many low bits of that register count; also the word's size
  bool whole_line = false;   ///< clzero accesses the 64 bytes of the line that holds the address
  /// A repeated instruction (REP and its kin) accesses as many elements as it turns out to need,
  /// upwards or downwards. The rest of the formula then names the first element, and `base` ends up
  /// behind the last one.
  bool repeated = false;
  std::optional<VectorIndex> vector_index;

  int size = 0;       ///< in bytes; of one element if there are several
  int alignment = 1;  ///< in bytes: the instruction faults unless the address is a multiple of it
  bool read = false;
  bool write = false;  ///< `read` and `write` are also set if the instruction only may do so

  /// The general registers that the address is computed from; bit i stands for GeneralRegister i.
  std::uint16_t general_registers() const;
};

/// The memory operands of the single instruction at the start of `code`, in Zydis's order; none if
/// the bytes do not decode. The whole operand of a masked move counts as accessed, whatever the
/// mask leaves out. Not listed are the levels of `enter` beyond the first push, and the table
/// look-ups of MPX.
std::vector<MemoryOperand> memory_operands(std::span<const std::uint8_t> code);

}  // namespace assay
