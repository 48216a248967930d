#include "suites/generate/form_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace assay {
namespace {

std::string_view prefix_of(const ZydisDecodedInstruction& instruction) {
  if (instruction.attributes & ZYDIS_ATTRIB_HAS_LOCK) return "LOCK ";
  if (instruction.attributes & ZYDIS_ATTRIB_HAS_REP) return "REP ";
  if (instruction.attributes & ZYDIS_ATTRIB_HAS_REPE) return "REPE ";
  if (instruction.attributes & ZYDIS_ATTRIB_HAS_REPNE) return "REPNE ";
  return "";
}

std::string capitals(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

std::string_view register_class(ZydisRegister reg) {
  switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
      return "r8";
    case ZYDIS_REGCLASS_GPR16:
      return "r16";
    case ZYDIS_REGCLASS_GPR32:
      return "r32";
    case ZYDIS_REGCLASS_GPR64:
      return "r64";
    case ZYDIS_REGCLASS_X87:
      return "st";
    case ZYDIS_REGCLASS_MMX:
      return "mm";
    case ZYDIS_REGCLASS_XMM:
      return "xmm";
    case ZYDIS_REGCLASS_YMM:
      return "ymm";
    case ZYDIS_REGCLASS_ZMM:
      return "zmm";
    case ZYDIS_REGCLASS_TMM:
      return "tmm";
    case ZYDIS_REGCLASS_SEGMENT:
      return "sreg";
    case ZYDIS_REGCLASS_CONTROL:
      return "cr";
    case ZYDIS_REGCLASS_DEBUG:
      return "dr";
    case ZYDIS_REGCLASS_MASK:
      return "k";
    case ZYDIS_REGCLASS_BOUND:
      return "bnd";
    default:
      return "reg";
  }
}

bool is_implicit(const ZydisDecodedOperand& operand) {
  return operand.visibility == ZYDIS_OPERAND_VISIBILITY_IMPLICIT;
}

std::string register_text(const ZydisDecodedOperand& operand) {
  if (is_implicit(operand)) return ZydisRegisterGetString(operand.reg.value);
  return std::string(register_class(operand.reg.value));
}

bool has_broadcast(const ZydisDecodedInstruction& instruction) {
  return instruction.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID &&
         !instruction.avx.broadcast.is_static;
}

/// The width of the indices, 32 or 64 bits, by the letter before the data's type in the mnemonic
/// (vgatherDpd, vpscatterQd).
int vector_index_bits(const Decoded& decoded) {
  const std::string_view name = ZydisMnemonicGetString(decoded.instruction.mnemonic);
  const std::size_t type_length = name.ends_with("ps") || name.ends_with("pd") ? 2 : 1;
  return name.at(name.size() - type_length - 1) == 'q' ? 64 : 32;
}

std::string vector_index_text(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  const std::string_view reg = register_class(operand.mem.index);
  return fmt::format("vm{}{}", vector_index_bits(decoded), reg.substr(0, 1));
}

std::string memory_text(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) return vector_index_text(decoded, operand);
  if (operand.mem.type != ZYDIS_MEMOP_TYPE_MEM || operand.size == 0) return "m";
  const bool bare = operand.mem.base == ZYDIS_REGISTER_NONE &&
                    operand.mem.index == ZYDIS_REGISTER_NONE &&
                    operand.encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64;
  return fmt::format("{}{}{}", bare ? "moffs" : "m", operand.size,
                     has_broadcast(decoded.instruction) ? "bcst" : "");
}

std::string immediate_text(const ZydisDecodedOperand& operand) {
  if (is_implicit(operand)) return fmt::format("{}", operand.imm.value.u);
  return fmt::format("{}{}", operand.imm.is_relative ? "rel" : "imm", operand.size);
}

std::string operand_text(const Decoded& decoded, const ZydisDecodedOperand& operand) {
  switch (operand.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER:
      return register_text(operand);
    case ZYDIS_OPERAND_TYPE_MEMORY:
      return memory_text(decoded, operand);
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      return immediate_text(operand);
    default:
      return "far";
  }
}

/// Whether the instruction is written with {z}. Comparisons into a mask always zero, but are
/// written without.
bool zeroes(const ZydisDecodedInstruction& instruction) {
  return instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && instruction.raw.evex.z != 0;
}

/// The texts of the operands; a mask is appended to the text of the operand before it.
std::vector<std::string> operand_texts(const Decoded& decoded) {
  std::vector<std::string> texts;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN) continue;
    if (operand.encoding != ZYDIS_OPERAND_ENCODING_MASK) {
      texts.push_back(operand_text(decoded, operand));
    } else if (operand.reg.value != ZYDIS_REGISTER_K0) {
      texts.back() += zeroes(decoded.instruction) ? "{k}{z}" : "{k}";
    }
  }
  return texts;
}

void add_rounding(const ZydisDecodedInstruction& instruction, std::vector<std::string>& texts) {
  if (instruction.encoding != ZYDIS_INSTRUCTION_ENCODING_EVEX || !instruction.avx.has_sae) return;
  const auto last = std::find_if(texts.rbegin(), texts.rend(),
                                 [](const std::string& text) { return !text.starts_with("imm"); });
  if (last == texts.rend()) return;
  *last += instruction.avx.rounding.mode != ZYDIS_ROUNDING_MODE_INVALID ? "{er}" : "{sae}";
}

/// Whether the operands show that the form can have no VEX encoding.
bool shows_evex(std::string_view operands) {
  return operands.find('{') != std::string_view::npos ||
         operands.find("zmm") != std::string_view::npos ||
         operands.find("bcst") != std::string_view::npos;
}

}  // namespace

std::string name_of(const Decoded& decoded) {
  const ZydisDecodedInstruction& instruction = decoded.instruction;
  std::vector<std::string> texts = operand_texts(decoded);
  add_rounding(instruction, texts);
  const std::string operands = fmt::format("{}", fmt::join(texts, ", "));
  const bool ambiguous =
      instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && !shows_evex(operands);
  return fmt::format("{}{}{}{}{}", ambiguous ? "{evex} " : "", prefix_of(instruction),
                     capitals(ZydisMnemonicGetString(instruction.mnemonic)),
                     operands.empty() ? "" : " ", operands);
}

}  // namespace assay
