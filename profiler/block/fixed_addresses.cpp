#include "profiler/block/fixed_addresses.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "profiler/block/memory_operand.h"
#include "profiler/block/registers.h"
#include "profiler/block/zydis.h"

namespace assay {
namespace {

/// Whether the instruction accesses memory that memory_operands() does not list: a second place, or
/// the rows of a tile, which lie as far apart as a register says.
bool accesses_more(const Decoded& decoded) {
  constexpr std::array kOnes = {ZYDIS_MNEMONIC_MOVDIR64B, ZYDIS_MNEMONIC_TILELOADD,
                                ZYDIS_MNEMONIC_TILELOADDT1, ZYDIS_MNEMONIC_TILESTORED};
  return std::ranges::count(kOnes, decoded.instruction.mnemonic) > 0 ||
         std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
           return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
                  operand.mem.type == ZYDIS_MEMOP_TYPE_MIB;
         });
}

}  // namespace

bool have_fixed_addresses(const Bytes& bytes, std::span<const Instruction> instructions) {
  std::uint16_t written = 0;
  std::uint16_t used = 0;
  for (const Instruction& at : instructions) {
    const auto code = std::span(bytes).subspan(at.offset, at.length);
    const auto decoded = decode_one(code);
    if (!decoded || accesses_more(*decoded)) return false;
    written |= written_general_registers(*decoded);
    for (const MemoryOperand& operand : memory_operands(code)) {
      if (operand.vector_index) return false;
      used |= operand.general_registers();
    }
  }
  return (written & used) == 0;
}

}  // namespace assay
