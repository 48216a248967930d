#include "profiler/block/memory_operand.h"

#include <cpuid.h>

#include <algorithm>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

bool is_stack_pointer(ZydisRegister reg) {
  return reg == ZYDIS_REGISTER_RSP || reg == ZYDIS_REGISTER_ESP;
}

bool is_rip(ZydisRegister reg) { return reg == ZYDIS_REGISTER_RIP || reg == ZYDIS_REGISTER_EIP; }

std::optional<GeneralRegister> general_register(ZydisRegister reg) {
  const ZydisRegister parent = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(parent) != ZYDIS_REGCLASS_GPR64) return std::nullopt;
  return static_cast<GeneralRegister>(ZydisRegisterGetId(parent));
}

/// The register's number among the registers of its class: vector and mask registers have one.
int number_of(ZydisRegister reg) { return static_cast<std::uint8_t>(ZydisRegisterGetId(reg)); }

int vector_bits(ZydisRegister reg) {
  return ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);
}

/// The size in bytes of all that XSAVE stores on this machine, for the states that the system has
/// enabled: Zydis gives the part that every machine has. Intel SDM volume 2, CPUID, leaf 0DH.
int xsave_area_size() {
  static const int kSize = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(0xd, 0, &a, &b, &c, &d) ? static_cast<int>(b) : 0;
  }();
  return kSize;
}

/// Turns one memory operand of an instruction, as Zydis describes it, into a MemoryOperand.
class OperandReader {
 public:
  OperandReader(const Decoded& decoded, const ZydisDecodedOperand& operand)
      : decoded_(decoded), operand_(operand) {}

  MemoryOperand describe() const {
    const ZydisDecodedOperandMem& memory = operand_.mem;
    MemoryOperand result;
    result.base = general_register(memory.base);
    result.rip_relative = is_rip(memory.base);
    result.displacement = static_cast<std::uint64_t>(memory.disp.value);
    result.address_32 = instruction().address_width == 32 && !is_of_the_stack();
    if (!is_hidden_destination()) {
      if (memory.segment == ZYDIS_REGISTER_FS) result.segment = MemoryOperand::Segment::kFs;
      if (memory.segment == ZYDIS_REGISTER_GS) result.segment = MemoryOperand::Segment::kGs;
    }
    result.size = operand_.size / 8;
    if (saves_extended_state(instruction())) result.size = std::max(result.size, xsave_area_size());
    result.alignment = alignment();
    result.read = (operand_.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    result.write = is_written(operand_);
    result.repeated = decoded_.is_repeated();
    if (memory.type == ZYDIS_MEMOP_TYPE_VSIB) {
      add_vector_index(result);
    } else {
      add_index(result);
      add_what_the_operand_hides(result);
    }
    return result;
  }

 private:
  const ZydisDecodedInstruction& instruction() const { return decoded_.instruction; }
  /// Whether push, pop, leave and their kin access the stack by it: at all of RSP or RBP, whatever
  /// the address size is (Intel, "Software Developer's Manual", volume 1, 6.2.3).
  bool is_of_the_stack() const {
    const auto base = general_register(operand_.mem.base);
    return operand_.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
           (base == GeneralRegister::kRsp || base == GeneralRegister::kRbp);
  }
  /// The destination that a register names, which Zydis hides. It is always in ES, though Zydis
  /// gives it the segment that a prefix names for the source.
  bool is_hidden_destination() const {
    return instruction().mnemonic == ZYDIS_MNEMONIC_MOVDIR64B &&
           operand_.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
  }

  void add_index(MemoryOperand& result) const {
    result.index = general_register(operand_.mem.index);
    result.scale = operand_.mem.scale;
    if (instruction().mnemonic != ZYDIS_MNEMONIC_XLAT) return;
    result.index = GeneralRegister::kRax;
    result.index_bits = 8;
    result.scale = 1;
  }

  /// Adds what Zydis leaves out of the operand: a push writes below the stack pointer, the
  /// destination of `pop [rsp]` is computed after the increment, and bt and its kin reach other
  /// words.
  void add_what_the_operand_hides(MemoryOperand& result) const {
    const bool hidden = operand_.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    const std::uint64_t bytes = operand_.size / 8;
    if (is_stack_pointer(operand_.mem.base) && hidden && is_written(operand_)) {
      result.displacement -= bytes;
    } else if (is_stack_pointer(operand_.mem.base) && !hidden &&
               instruction().mnemonic == ZYDIS_MNEMONIC_POP) {
      result.displacement += bytes;
    } else {
      add_bit_offset(result);
    }
  }

  void add_bit_offset(MemoryOperand& result) const {
    // An immediate bit offset stays within the word that the operand names.
    const ZydisDecodedOperand& bit = decoded_.storage[1];
    if (instruction().meta.category != ZYDIS_CATEGORY_BITBYTE ||
        bit.type != ZYDIS_OPERAND_TYPE_REGISTER ||
        bit.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) {
      return;
    }
    result.bit_offset = general_register(bit.reg.value);
    result.bit_offset_bits = bit.size;
  }

  void add_vector_index(MemoryOperand& result) const {
    VectorIndex index;
    index.reg = number_of(operand_.mem.index);
    index.bits = vector_bits(operand_.mem.index);
    index.lane_bits = has_64_bit_indices() ? 64 : 32;
    index.scale = operand_.mem.scale;
    index.evex = instruction().encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    const ZydisRegister data = data_register();
    result.size = element_bits() / 8;
    index.lanes = std::min(index.bits / index.lane_bits, vector_bits(data) / element_bits());
    if (index.evex) {
      index.mask = number_of(instruction().avx.mask.reg);
    } else {
      const ZydisRegister mask = decoded_.storage[2].reg.value;
      index.mask = number_of(mask);
      index.mask_bits = vector_bits(mask);
    }
    result.vector_index = index;
  }

  /// The register that a gather fills or a scatter stores: the first vector register among the
  /// operands, since the index is part of the memory operand and a VEX mask comes last.
  ZydisRegister data_register() const {
    const auto found = std::ranges::find_if(decoded_.operands(), [](const auto& operand) {
      return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && vector_bits(operand.reg.value) >= 128;
    });
    return found == decoded_.operands().end() ? ZYDIS_REGISTER_NONE : found->reg.value;
  }

  bool has_64_bit_indices() const {
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_VGATHERQPD:
      case ZYDIS_MNEMONIC_VGATHERQPS:
      case ZYDIS_MNEMONIC_VPGATHERQD:
      case ZYDIS_MNEMONIC_VPGATHERQQ:
      case ZYDIS_MNEMONIC_VSCATTERQPD:
      case ZYDIS_MNEMONIC_VSCATTERQPS:
      case ZYDIS_MNEMONIC_VPSCATTERQD:
      case ZYDIS_MNEMONIC_VPSCATTERQQ:
        return true;
      default:
        return false;
    }
  }

  int element_bits() const {
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_VGATHERDPD:
      case ZYDIS_MNEMONIC_VGATHERQPD:
      case ZYDIS_MNEMONIC_VPGATHERDQ:
      case ZYDIS_MNEMONIC_VPGATHERQQ:
      case ZYDIS_MNEMONIC_VSCATTERDPD:
      case ZYDIS_MNEMONIC_VSCATTERQPD:
      case ZYDIS_MNEMONIC_VPSCATTERDQ:
      case ZYDIS_MNEMONIC_VPSCATTERQQ:
        return 64;
      default:
        return 32;
    }
  }

  int alignment() const {
    if (saves_extended_state(instruction())) return 64;
    switch (instruction().mnemonic) {
      case ZYDIS_MNEMONIC_CMPXCHG16B:
      case ZYDIS_MNEMONIC_FXSAVE:
      case ZYDIS_MNEMONIC_FXSAVE64:
        return 16;
      case ZYDIS_MNEMONIC_MOVDIR64B:
        return is_hidden_destination() ? 64 : 1;  // the source may lie anywhere
      default:
        return needs_vector_alignment() ? operand_.size / 8 : 1;
    }
  }

  bool needs_vector_alignment() const {
    if (decoded_.has_vector_prefix()) return is_aligned_vector_move();
    return operand_.size == 128 && names_vector_register() && !is_unaligned_legacy();
  }

  /// Whether the instruction is a move that checks alignment: no other VEX or EVEX instruction
  /// does.
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

  /// Whether the legacy SSE instruction is one of the few that accept unaligned operands.
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
};

/// The segment that the prefixes name: the last of FS and GS, as others mean nothing in 64-bit
/// mode.
MemoryOperand::Segment segment_of_prefixes(const ZydisDecodedInstruction& instruction) {
  constexpr std::uint8_t kFsPrefix = 0x64;
  constexpr std::uint8_t kGsPrefix = 0x65;
  auto segment = MemoryOperand::Segment::kNone;
  for (const auto& prefix : std::span(instruction.raw.prefixes, instruction.raw.prefix_count)) {
    if (prefix.value == kFsPrefix) segment = MemoryOperand::Segment::kFs;
    if (prefix.value == kGsPrefix) segment = MemoryOperand::Segment::kGs;
  }
  return segment;
}

/// The memory operand of clzero, which Zydis does not list. Its address is relative to FS or GS as
/// any other (Zen 5).
MemoryOperand clzero_operand(const Decoded& decoded) {
  MemoryOperand operand;
  operand.segment = segment_of_prefixes(decoded.instruction);
  operand.base = GeneralRegister::kRax;
  operand.address_32 = decoded.instruction.address_width == 32;
  operand.whole_line = true;
  operand.size = 64;
  operand.write = true;
  return operand;
}

std::uint16_t bit(std::optional<GeneralRegister> reg) {
  if (!reg) return 0;
  return static_cast<std::uint16_t>(1U << static_cast<int>(*reg));
}

}  // namespace

std::uint16_t MemoryOperand::general_registers() const {
  return static_cast<std::uint16_t>(bit(base) | bit(index) | bit(bit_offset));
}

std::vector<MemoryOperand> memory_operands(std::span<const std::uint8_t> code) {
  std::vector<MemoryOperand> operands;
  const auto decoded = decode_one(code);
  if (!decoded) return operands;
  if (decoded->instruction.mnemonic == ZYDIS_MNEMONIC_CLZERO) {
    operands.push_back(clzero_operand(*decoded));
  }
  for (const ZydisDecodedOperand& operand : decoded->operands()) {
    if (!accesses_memory(*decoded, operand) || operand.mem.type == ZYDIS_MEMOP_TYPE_MIB) continue;
    operands.push_back(OperandReader(*decoded, operand).describe());
  }
  return operands;
}

}  // namespace assay
