#include "profiler/block/operands.h"

#include <algorithm>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

bool is_canonical(std::uint64_t address) {
  const auto sign_and_above = static_cast<std::int64_t>(address) >> 47;
  return sign_and_above == 0 || sign_and_above == -1;
}

bool is_stack_pointer(ZydisRegister reg) {
  return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_ESP;
}

/// One operand of one instruction at one moment.
class Access {
 public:
  Access(const Decoded& decoded, const ZydisDecodedOperand& operand,
         const AddressRegisters& registers)
      : decoded_(decoded), operand_(operand), registers_(registers) {}

  MemoryAccess describe() const {
    MemoryAccess access;
    access.address = address();
    access.size = operand_.size / 8;
    access.alignment = alignment();
    const std::uint64_t last = access.address + static_cast<std::uint64_t>(access.size) - 1;
    access.canonical = is_canonical(access.address) && (access.size == 0 || is_canonical(last));
    return access;
  }

 private:
  const ZydisDecodedInstruction& instruction() const { return decoded_.instruction; }

  std::uint64_t value_of(ZydisRegister reg) const {
    if (reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP) {
      return registers_.rip + instruction().length;
    }
    const ZydisRegister parent = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    if (ZydisRegisterGetClass(parent) != ZYDIS_REGCLASS_GPR64) return 0;
    return registers_.general[static_cast<std::uint8_t>(ZydisRegisterGetId(parent))];
  }

  std::uint64_t segment_base() const {
    if (operand_.mem.segment == ZYDIS_REGISTER_FS) return registers_.fs_base;
    if (operand_.mem.segment == ZYDIS_REGISTER_GS) return registers_.gs_base;
    return 0;
  }

  std::uint64_t address() const {
    const ZydisDecodedOperandMem& memory = operand_.mem;
    std::uint64_t offset = value_of(memory.base) + value_of(memory.index) * memory.scale +
                           static_cast<std::uint64_t>(memory.disp.value) + adjustment();
    if (instruction().address_width == 32) offset &= 0xffff'ffff;
    return offset + segment_base();
  }

  /// What the instruction adds to the address that Zydis's operand names.
  std::uint64_t adjustment() const {
    if (instruction().mnemonic == ZYDIS_MNEMONIC_XLAT) return value_of(ZYDIS_REGISTER_AL) & 0xff;
    if (is_stack_pointer(operand_.mem.base)) return stack_adjustment();
    return bit_string_adjustment();
  }

  /// A push writes below the stack pointer; the destination of `pop [rsp]` is computed after the
  /// increment.
  std::uint64_t stack_adjustment() const {
    const bool written = (operand_.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
    const bool hidden = operand_.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    const std::uint64_t bytes = operand_.size / 8;
    if (hidden && written) return 0 - bytes;
    if (!hidden && instruction().mnemonic == ZYDIS_MNEMONIC_POP) return bytes;
    return bit_string_adjustment();
  }

  /// bt and its kin with a register as bit offset reach any word around the one that they name.
  std::uint64_t bit_string_adjustment() const {
    const ZydisDecodedOperand& bit = decoded_.storage[1];
    if (instruction().meta.category != ZYDIS_CATEGORY_BITBYTE ||
        bit.type != ZYDIS_OPERAND_TYPE_REGISTER ||
        bit.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
      return 0;
    }
    const int unused_bits = 64 - bit.size;
    const auto raw = static_cast<std::int64_t>(value_of(bit.reg.value) << unused_bits);
    const std::int64_t offset = raw >> unused_bits;
    const std::int64_t word_bits = bit.size;
    return static_cast<std::uint64_t>((offset & -word_bits) / 8);
  }

  int alignment() const {
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_CMPXCHG16B:
      case ZYDIS_MNEMONIC_FXSAVE:
      case ZYDIS_MNEMONIC_FXSAVE64:
        return 16;
      case ZYDIS_MNEMONIC_XSAVE:
      case ZYDIS_MNEMONIC_XSAVE64:
      case ZYDIS_MNEMONIC_XSAVEC:
      case ZYDIS_MNEMONIC_XSAVEC64:
      case ZYDIS_MNEMONIC_XSAVEOPT:
      case ZYDIS_MNEMONIC_XSAVEOPT64:
        return 64;
      case ZYDIS_MNEMONIC_MOVDIR64B:
        // The destination, which Zydis hides; the source may lie anywhere.
        return operand_.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN ? 64 : 1;
      default:
        return needs_vector_alignment() ? operand_.size / 8 : 1;
    }
  }

  bool needs_vector_alignment() const {
    if (decoded_.has_vector_prefix()) return is_aligned_vector_move();
    return operand_.size == 128 && names_vector_register() && !is_unaligned_legacy();
  }

  /// VEX and EVEX dropped the alignment rule, except from the moves that exist to check it.
  bool is_aligned_vector_move() const {
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_VMOVAPS:
      case ZYDIS_MNEMONIC_VMOVAPD:
      case ZYDIS_MNEMONIC_VMOVDQA:
      case ZYDIS_MNEMONIC_VMOVDQA32:
      case ZYDIS_MNEMONIC_VMOVDQA64:
      case ZYDIS_MNEMONIC_VMOVNTPS:
      case ZYDIS_MNEMONIC_VMOVNTPD:
      case ZYDIS_MNEMONIC_VMOVNTDQ:
      case ZYDIS_MNEMONIC_VMOVNTDQA:
        return true;
      default:
        return false;
    }
  }

  bool is_unaligned_legacy() const {
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_MOVUPS:
      case ZYDIS_MNEMONIC_MOVUPD:
      case ZYDIS_MNEMONIC_MOVDQU:
      case ZYDIS_MNEMONIC_LDDQU:
      case ZYDIS_MNEMONIC_MASKMOVDQU:
      case ZYDIS_MNEMONIC_PCMPESTRI:
      case ZYDIS_MNEMONIC_PCMPESTRM:
      case ZYDIS_MNEMONIC_PCMPISTRI:
      case ZYDIS_MNEMONIC_PCMPISTRM:
        return true;
      default:
        return false;
    }
  }

  bool names_vector_register() const {
    return std::ranges::any_of(decoded_.operands(), [](const ZydisDecodedOperand& operand) {
      return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
             ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_XMM;
    });
  }

  const Decoded& decoded_;
  const ZydisDecodedOperand& operand_;
  const AddressRegisters& registers_;
};

/// clzero's memory is no operand to Zydis: the 64-byte line around RAX.
MemoryAccess clzero_access(const Decoded& decoded, const AddressRegisters& registers) {
  std::uint64_t address = registers.general[static_cast<std::size_t>(GeneralRegister::kRax)];
  if (decoded.instruction.address_width == 32) address &= 0xffff'ffff;
  return {.address = address & ~std::uint64_t{63}, .size = 64, .canonical = is_canonical(address)};
}

}  // namespace

std::vector<MemoryAccess> memory_accesses(std::span<const std::uint8_t> code,
                                          const AddressRegisters& registers) {
  std::vector<MemoryAccess> accesses;
  const auto decoded = decode_one(code);
  if (!decoded) return accesses;
  if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_CLZERO) {
    accesses.push_back(clzero_access(*decoded, registers));
  }
  for (const ZydisDecodedOperand& operand : decoded->operands()) {
    // Every other kind of memory operand is no plain access: VSIB, and MPX's table look-ups.
    if (!accesses_memory(*decoded, operand) || operand.mem.type != ZYDIS_MEMOP_TYPE_MEM) continue;
    accesses.push_back(Access(*decoded, operand, registers).describe());
  }
  return accesses;
}

}  // namespace assay
