#include "profiler/block/fixed_addresses.h"

#include <algorithm>
#include <cstdint>

#include "profiler/block/memory_operand.h"
#include "profiler/block/registers.h"
#include "profiler/block/zydis.h"

namespace assay {
namespace {

/// Whether the instruction accesses memory that memory_operands() does not list.
bool accesses_more(const Decoded& decoded) {
  return decoded.instruction.mnemonic == ZYDIS_MNEMONIC_MOVDIR64B ||
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
