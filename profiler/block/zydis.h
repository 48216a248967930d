#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/block.h"

namespace assay {

// The only header of assay that includes Zydis: for profiler/block, and for suites/generate, which
// encodes what it decodes.

struct Decoded {
  ZydisDecodedInstruction instruction;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> storage;

  /// All operands: explicit, implicit and hidden.
  std::span<const ZydisDecodedOperand> operands() const {
    return {storage.data(), instruction.operand_count};
  }
  bool has_prefix(std::uint8_t prefix) const;
  /// Whether it is a jump, a call or a transaction begin with its target encoded as a displacement.
  bool is_relative_branch() const { return instruction.raw.imm[0].is_relative; }
  /// Whether a prefix of the REP kind repeats the instruction.
  bool is_repeated() const;
  /// Whether it is encoded with a VEX, EVEX or XOP prefix.
  bool has_vector_prefix() const;
};

/// The instruction at the start of `code`, in 64-bit mode; nothing if the bytes are no x86-64
/// instruction or end inside one. Instructions of Knights Corner do not count: on every other CPU
/// their bytes are undefined, or (Intel APX) mean something else. Where Zydis is known to be wrong,
/// the operands are corrected to what the CPU reads and writes.
std::optional<Decoded> decode_one(std::span<const std::uint8_t> code);
/// Decodes as decode_one() does, but leaves out the operands, which takes a fraction of the time.
std::optional<ZydisDecodedInstruction> decode_without_operands(std::span<const std::uint8_t> code);

inline bool is_written(const ZydisDecodedOperand& operand) {
  return (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

/// Whether the operand reads or writes memory at the address that it names. An operand does not if
/// it only computes an address (lea), is a hint (prefetch) or means nothing (multi-byte nop, for
/// which Zydis reports a load).
bool accesses_memory(const Decoded& decoded, const ZydisDecodedOperand& operand);

/// Adds the least that the instruction asks of the core.
void add_demand(const Decoded& decoded, Demand& demand);

/// The register that a MOV, MOVDQA or MOVDQU copies another register or memory to, as the largest
/// one that holds it; ZYDIS_REGISTER_NONE for any other instruction, and for MOV of 8 or 16 bits.
ZydisRegister copied_to(const Decoded& decoded);
/// Whether the instruction computes its first operand, that register, from what it held.
bool changes(const Decoded& decoded, ZydisRegister reg);

/// Whether the instruction may write memory, through any operand, listed by Zydis or not.
bool may_write_memory(const Decoded& decoded);

/// Whether the instruction may read or write memory, likewise.
bool may_access_memory(const Decoded& decoded);

/// Whether the instruction saves to memory the state components that XCR0 enables and its mask
/// selects: XSAVE, XSAVEC, XSAVEOPT.
bool saves_extended_state(const ZydisDecodedInstruction& instruction);

}  // namespace assay
