#include "profiler/block/zydis.h"

#include <algorithm>

#include "profiler/support/error.h"

namespace assay {
namespace {

ZydisDecoder make_decoder() {
  ZydisDecoder decoder;
  if (ZYAN_FAILED(ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64))) {
    throw Error("Zydis refuses 64-bit mode: its library does not fit its headers");
  }
  return decoder;
}

const ZydisDecoder& the_decoder() {
  static const ZydisDecoder decoder = make_decoder();
  return decoder;
}

bool is_knights_corner(const ZydisDecodedInstruction& instruction) {
  return instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX ||
         instruction.meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
         instruction.meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
         instruction.meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

bool is_nop_or_hint(ZydisInstructionCategory category) {
  return category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP ||
         category == ZYDIS_CATEGORY_PREFETCH || category == ZYDIS_CATEGORY_PREFETCHWT1;
}

bool is_string_instruction(ZydisInstructionCategory category) {
  return category == ZYDIS_CATEGORY_STRINGOP || category == ZYDIS_CATEGORY_IOSTRINGOP;
}

/// The operand that is this register; a hidden operand is added if there is none.
ZydisDecodedOperand& hidden_register(Decoded& decoded, ZydisRegister reg) {
  const std::span all(decoded.storage.data(), decoded.instruction.operand_count);
  const auto found = std::ranges::find_if(all, [&](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.reg.value == reg;
  });
  if (found != all.end()) return *found;
  ZydisDecodedOperand& added = decoded.storage.at(decoded.instruction.operand_count);
  added = {};
  added.id = decoded.instruction.operand_count++;
  added.type = ZYDIS_OPERAND_TYPE_REGISTER;
  added.visibility = ZYDIS_OPERAND_VISIBILITY_HIDDEN;
  added.size = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg);
  added.reg.value = reg;
  return added;
}

/// Whether a SIB byte says that there is no base register, but a displacement of 32 bits.
bool has_no_base(const ZydisDecodedInstruction& instruction) {
  constexpr int kNone = 5;
  return instruction.raw.sib.offset != 0 && instruction.raw.sib.base == kNone &&
         instruction.raw.modrm.mod == 0;
}

/// Corrects what Zydis 4.0 gets wrong: it knows that movs, stos and lods advance their address
/// registers, but not that cmps, scas, ins and outs do, nor that xlat reads its index. With
/// addresses of 32 bits and REX.B, it takes a SIB byte without a base for one with R13D and without
/// a displacement. And F3 90 with REX.B is PAUSE to it and to Intel's cores (Granite Rapids), but
/// XCHG of R8 and RAX to AMD's (Zen 4): it may use both registers.
void correct_operands(Decoded& decoded) {
  if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_XLAT) {
    hidden_register(decoded, ZYDIS_REGISTER_AL).actions = ZYDIS_OPERAND_ACTION_READWRITE;
  }
  if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_PAUSE && decoded.instruction.raw.rex.B != 0) {
    for (const ZydisRegister reg : {ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R8}) {
      hidden_register(decoded, reg).actions = ZYDIS_OPERAND_ACTION_READ_CONDWRITE;
    }
  }
  if (has_no_base(decoded.instruction)) {
    for (ZydisDecodedOperand& operand :
         std::span(decoded.storage.data(), decoded.instruction.operand_count)) {
      // A pop to memory reads the stack as well, which no SIB byte says.
      const bool explicit_memory = operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
                                   operand.visibility == ZYDIS_OPERAND_VISIBILITY_EXPLICIT;
      if (!explicit_memory) continue;
      operand.mem.base = ZYDIS_REGISTER_NONE;
      operand.mem.disp.has_displacement = ZYAN_TRUE;
      operand.mem.disp.value = decoded.instruction.raw.disp.value;
    }
  }
  if (!is_string_instruction(decoded.instruction.meta.category)) return;
  const int count = decoded.instruction.operand_count;
  for (int i = 0; i < count; ++i) {
    // operand_count grows in the loop: hidden_register() may append operands.
    const ZydisDecodedOperand& operand = decoded.storage[static_cast<std::size_t>(i)];
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
    hidden_register(decoded, operand.mem.base).actions = decoded.is_repeated()
                                                             ? ZYDIS_OPERAND_ACTION_READ_CONDWRITE
                                                             : ZYDIS_OPERAND_ACTION_READWRITE;
  }
}

ZydisRegister enclosing(const ZydisDecodedOperand& operand) {
  return ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value);
}

}  // namespace

bool Decoded::has_prefix(std::uint8_t prefix) const {
  const std::span prefixes(instruction.raw.prefixes, instruction.raw.prefix_count);
  return std::ranges::any_of(prefixes, [&](const auto& found) { return found.value == prefix; });
}

bool Decoded::is_repeated() const {
  constexpr ZydisInstructionAttributes kAnyRep =
      ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE;
  return (instruction.attributes & kAnyRep) != 0;
}

bool Decoded::has_vector_prefix() const {
  return instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX ||
         instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX ||
         instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_XOP;
}

std::optional<Decoded> decode_one(std::span<const std::uint8_t> code) {
  std::optional<Decoded> decoded(std::in_place);
  const ZyanStatus status = ZydisDecoderDecodeFull(&the_decoder(), code.data(), code.size(),
                                                   &decoded->instruction, decoded->storage.data());
  if (ZYAN_FAILED(status) || is_knights_corner(decoded->instruction)) return std::nullopt;
  correct_operands(*decoded);
  return decoded;
}

std::optional<ZydisDecodedInstruction> decode_without_operands(std::span<const std::uint8_t> code) {
  std::optional<ZydisDecodedInstruction> decoded(std::in_place);
  const ZyanStatus status =
      ZydisDecoderDecodeInstruction(&the_decoder(), nullptr, code.data(), code.size(), &*decoded);
  if (ZYAN_FAILED(status) || is_knights_corner(*decoded)) return std::nullopt;
  return decoded;
}

bool accesses_memory(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN &&
         !is_nop_or_hint(decoded.instruction.meta.category);
}

void add_demand(const Decoded& decoded, Demand& demand) {
  const ZydisInstructionCategory category = decoded.instruction.meta.category;
  const ZydisMnemonic mnemonic = decoded.instruction.mnemonic;
  const bool free = category == ZYDIS_CATEGORY_NOP || category == ZYDIS_CATEGORY_WIDENOP ||
                    mnemonic == ZYDIS_MNEMONIC_ENDBR32 || mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
                    decoded.is_relative_branch();
  if (!free) ++demand.operations;
  if (decoded.is_relative_branch() && decoded.instruction.mnemonic == ZYDIS_MNEMONIC_JMP) {
    ++demand.taken_branches;
  }
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || !accesses_memory(decoded, operand)) continue;
    // Accesses on a condition have flags of their own (CONDREAD, CONDWRITE), and do not count.
    if (operand.actions & ZYDIS_OPERAND_ACTION_READ) ++demand.loads;
    if (operand.actions & ZYDIS_OPERAND_ACTION_WRITE) ++demand.stores;
  }
}

ZydisRegister copied_to(const Decoded& decoded) {
  const auto operands = decoded.operands();
  const ZydisMnemonic mnemonic = decoded.instruction.mnemonic;
  const bool moves = (mnemonic == ZYDIS_MNEMONIC_MOV && decoded.instruction.operand_width >= 32) ||
                     mnemonic == ZYDIS_MNEMONIC_MOVDQA || mnemonic == ZYDIS_MNEMONIC_MOVDQU;
  const bool copies = moves && operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
                      (operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER ||
                       operands[1].type == ZYDIS_OPERAND_TYPE_MEMORY);
  return copies ? enclosing(operands[0]) : ZYDIS_REGISTER_NONE;
}

bool changes(const Decoded& decoded, ZydisRegister reg) {
  const auto operands = decoded.operands();
  return reg != ZYDIS_REGISTER_NONE && !operands.empty() &&
         operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER && is_written(operands[0]) &&
         operands[0].actions & ZYDIS_OPERAND_ACTION_READ && enclosing(operands[0]) == reg;
}

bool may_write_memory(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CLZERO:  // writes the line at RAX, which Zydis lists only as a register
    case ZYDIS_MNEMONIC_MOVDIR64B:
      return true;
    default:
      return std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
        return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && is_written(operand);
      });
  }
}

bool may_access_memory(const Decoded& decoded) {
  return may_write_memory(decoded) ||
         std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
           return operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
                  operand.mem.type != ZYDIS_MEMOP_TYPE_AGEN;
         });
}

bool saves_extended_state(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XSAVEOPT:
    case ZYDIS_MNEMONIC_XSAVEOPT64:
      return true;
    default:
      return false;
  }
}

}  // namespace assay
