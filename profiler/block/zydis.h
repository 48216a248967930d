#pragma once

#include <Zydis/Zydis.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/block.h"

namespace assay {

// Private to profiler/block: the one header of assay that lets Zydis in.

struct Decoded {
  ZydisDecodedInstruction instruction;
  std::array<ZydisDecodedOperand, ZYDIS_MAX_OPERAND_COUNT> storage;

  /// Explicit, implicit and hidden operands.
  std::span<const ZydisDecodedOperand> operands() const {
    return {storage.data(), instruction.operand_count};
  }
  bool has_prefix(std::uint8_t prefix) const;
  /// A jump, call or transaction begin whose target is in the instruction as a displacement.
  bool is_relative_branch() const { return instruction.raw.imm[0].is_relative; }
  /// Under a prefix of the REP kind that repeats it.
  bool is_repeated() const;
  /// Encoded with a VEX, EVEX or XOP prefix.
  bool has_vector_prefix() const;
};

/// The instruction at the start of `code`, in 64-bit mode; nothing when the bytes are no x86-64
/// instruction or end inside one. Knights Corner's instructions count as none: on every other CPU
/// their bytes are undefined, or (Intel APX) mean something else.
/// Operands are what the CPU reads and writes, where Zydis is known to be wrong.
std::optional<Decoded> decode_one(std::span<const std::uint8_t> code);
/// The same without its operands, in a fraction of the time.
std::optional<ZydisDecodedInstruction> decode_without_operands(std::span<const std::uint8_t> code);

/// Whether the operand reads or writes memory at the address that it names. An operand that only
/// computes an address (lea), hints (prefetch) or means nothing (multi-byte nop, for which Zydis
/// claims a load) does not.
bool accesses_memory(const Decoded& decoded, const ZydisDecodedOperand& operand);

/// Adds what the instruction asks of the core at least.
void add_demand(const Decoded& decoded, Demand& demand);

/// Whether the instruction may write memory, explicitly or not.
bool may_write_memory(const Decoded& decoded);

/// Whether it saves to memory what XCR0 has enabled, as far as its mask wants it: XSAVE, XSAVEC,
/// XSAVEOPT.
bool saves_extended_state(const ZydisDecodedInstruction& instruction);

}  // namespace assay
