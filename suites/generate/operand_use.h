#pragma once

#include <string>
#include <vector>

#include "profiler/block/zydis.h"

namespace assay {

/// The kinds of place that can carry a dependence from one instruction to another.
enum class Carrier : std::uint8_t { kGeneral, kVector, kMask, kMmx, kX87, kFlags, kMemory, kOther };

/// A register with all its parts, the status flags, or what a memory operand of the instruction
/// holds.
struct Place {
  Carrier carrier = Carrier::kOther;
  int number = 0;  ///< of a register in its file; for memory, that of the operand
  bool operator==(const Place&) const = default;
};

/// What an operand's register serves as: the value, or the base or index of an address.
enum class Part : std::uint8_t { kValue, kBase, kIndex };

/// One thing that an instruction reads or writes.
struct OperandUse {
  int operand = 0;  ///< index into Decoded::operands()
  Part part = Part::kValue;
  Place place;
  int bits = 0;  ///< width of the part of the register or memory that is used
  bool read = false;
  bool written = false;
  bool chosen = false;  ///< the form leaves open which register it is
  /// "2", the number of the operand as it is written in assembly (masks not counted), "2.base" or
  /// "2.index"; "k" for a mask; "rax", "flags" or "[rdi]" for operands that are not written in
  /// assembly.
  std::string name;
};

/// All that the instruction reads and writes and that can carry a dependence, in the order of its
/// operands. It is what Zydis 4.0 says, except that
/// - what is written on a condition, or only in part (8 or 16 bits of a general register, the lower
///   part of a register by legacy SSE), and keeps its value otherwise counts as read too;
/// - of the flags only the status flags count, not DF;
/// - an address that is only computed (lea) reads its registers, but instructions whose operand is
///   only a hint or means nothing (prefetch, nop) access no memory;
/// - ADCX, ADOX and CMC write the flags that they read; CMPS and SCAS move RSI and RDI; BSF and BSR
///   leave their destination as it is if their source is 0;
/// - what is read as one operand and written as another, under one name, is one use;
/// - clzero writes memory and reads RAX as its address.
///
/// Rounding, exception and x87 control and status words, segments and the instruction pointer do
/// not count as carriers here.
std::vector<OperandUse> uses_of(const Decoded& decoded);

}  // namespace assay
