#include "profiler/block/registers.h"

#include <algorithm>

namespace assay {
namespace {

constexpr std::uint32_t kLowVectors = 0xffff;  // the registers that exist without AVX-512
constexpr std::uint32_t kAllVectors = 0xffff'ffff;

/// The register's width in bits: 128, 256 or 512; 0 if it is not a vector register.
int vector_width(ZydisRegister reg) {
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_XMM:
      return 128;
    case ZYDIS_REGCLASS_YMM:
      return 256;
    case ZYDIS_REGCLASS_ZMM:
      return 512;
    default:
      return 0;
  }
}

/// Adds the vector register. If `count` is 4, adds the aligned group of four that it belongs to.
void add_vector(const Decoded& decoded, ZydisRegister reg, int count, RegisterUse& use) {
  const std::uint32_t bits = count == 4 ? 0xfu : 1u;
  const int first = ZydisRegisterGetId(reg) & ~(count - 1);
  use.vector |= bits << first;
  if (decoded.has_vector_prefix()) {
    use.widest_vex_vector = std::max(use.widest_vex_vector, vector_width(reg));
  }
}

void add_register(const Decoded& decoded, ZydisRegister reg, int count, RegisterUse& use) {
  if (vector_width(reg) != 0) {
    add_vector(decoded, reg, count, use);
    return;
  }
  const ZydisRegister parent = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(parent) != ZYDIS_REGCLASS_GPR64) return;
  use.general = static_cast<std::uint16_t>(use.general | (1u << ZydisRegisterGetId(parent)));
}

void add_operand(const Decoded& decoded, const ZydisDecodedOperand& operand, RegisterUse& use) {
  if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) {
    // Such an operand (4FMAPS, 4VNNIW) names one register of a group of four, and reads all four.
    const bool four = (operand.attributes & ZYDIS_OATTRIB_IS_MULTISOURCE4) != 0;
    add_register(decoded, operand.reg.value, four ? 4 : 1, use);
  } else if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) {
    add_register(decoded, operand.mem.base, 1, use);
    add_register(decoded, operand.mem.index, 1, use);
  }
}

/// The vector registers that an instruction uses without naming them.
std::uint32_t unnamed_vectors(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_VZEROALL:
    case ZYDIS_MNEMONIC_VZEROUPPER:
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
      return kLowVectors;
    default:
      return saves_extended_state(instruction) ? kAllVectors : 0;
  }
}

/// Whether the instruction may read or write the x87 stack, its control and status, or MMX
/// registers.
bool touches_x87(const ZydisDecodedInstruction& instruction) {
  if (instruction.mnemonic == ZYDIS_MNEMONIC_FISTTP) return true;  // to Zydis, it is of SSE3
  switch (instruction.meta.isa_ext) {
    case ZYDIS_ISA_EXT_X87:
    case ZYDIS_ISA_EXT_MMX:
    case ZYDIS_ISA_EXT_AMD3DNOW:
      return true;
    default:
      return unnamed_vectors(instruction) == kAllVectors ||
             instruction.mnemonic == ZYDIS_MNEMONIC_XGETBV ||  // tells whether it is in use
             instruction.mnemonic == ZYDIS_MNEMONIC_FXSAVE ||
             instruction.mnemonic == ZYDIS_MNEMONIC_FXSAVE64;
  }
}

bool names_mmx(const Decoded& decoded) {
  return std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
           ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_MMX;
  });
}

}  // namespace

std::uint16_t written_general_registers(const Decoded& decoded) {
  RegisterUse written;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER && is_written(operand)) {
      add_register(decoded, operand.reg.value, 1, written);
    }
  }
  return written.general;
}

void add_registers(const Decoded& decoded, RegisterUse& use) {
  for (const ZydisDecodedOperand& operand : decoded.operands()) add_operand(decoded, operand, use);
  const std::uint32_t unnamed = unnamed_vectors(decoded.instruction);
  use.vector |= unnamed;
  // Some SSE instructions use MMX registers too (cvtpi2ps, pmovmskb).
  use.x87 = use.x87 || touches_x87(decoded.instruction) || names_mmx(decoded);
  // vzeroall and vzeroupper clear upper halves, so that they count as 256 bits wide.
  if (unnamed != 0 && decoded.has_vector_prefix()) {
    use.widest_vex_vector = std::max(use.widest_vex_vector, 256);
  }
}

}  // namespace assay
