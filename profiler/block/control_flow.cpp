#include "profiler/block/control_flow.h"

#include <algorithm>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

constexpr std::uint8_t kOperandSizePrefix = 0x66;
constexpr std::uint8_t kLinuxInterrupt = 0x80;  // the 32-bit system call, open to every program

FlowKind kind_of_interrupt(const ZydisDecodedInstruction& instruction) {
  const bool system = instruction.mnemonic == ZYDIS_MNEMONIC_INT &&
                      instruction.raw.imm[0].value.u == kLinuxInterrupt;
  return system ? FlowKind::kSystemCall : FlowKind::kTrap;
}

FlowKind kind_of_mnemonic(const ZydisDecodedInstruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_UD0:
    case ZYDIS_MNEMONIC_UD1:
    case ZYDIS_MNEMONIC_UD2:
    case ZYDIS_MNEMONIC_HLT:
      return FlowKind::kTrap;
    case ZYDIS_MNEMONIC_XBEGIN:
      return FlowKind::kConditionalJump;
    case ZYDIS_MNEMONIC_UIRET:
      return FlowKind::kReturn;
    default:
      return FlowKind::kSequential;
  }
}

FlowKind kind_of(const ZydisDecodedInstruction& instruction) {
  const bool direct = instruction.raw.imm[0].is_relative;
  switch (instruction.meta.category) {
    case ZYDIS_CATEGORY_CALL:
      return direct ? FlowKind::kCall : FlowKind::kIndirectCall;
    case ZYDIS_CATEGORY_COND_BR:
      return FlowKind::kConditionalJump;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return direct ? FlowKind::kJump : FlowKind::kIndirectJump;
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_SYSRET:
      return FlowKind::kReturn;
    case ZYDIS_CATEGORY_SYSCALL:
      return FlowKind::kSystemCall;
    case ZYDIS_CATEGORY_INTERRUPT:
      return kind_of_interrupt(instruction);
    default:
      return kind_of_mnemonic(instruction);
  }
}

bool is_nop(const ZydisDecodedInstruction& instruction) {
  return instruction.meta.category == ZYDIS_CATEGORY_NOP ||
         instruction.meta.category == ZYDIS_CATEGORY_WIDENOP ||
         instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR64 ||
         instruction.mnemonic == ZYDIS_MNEMONIC_ENDBR32;
}

/// Whether the memory operand is RIP and a displacement: mod 0 and rm 5, in 64-bit mode.
bool is_rip_relative(const ZydisDecodedInstruction& instruction) {
  return (instruction.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0 && instruction.raw.modrm.mod == 0 &&
         instruction.raw.modrm.rm == 5 && instruction.address_width == 64;
}

/// Whether some CPUs read the displacement of a direct branch as 16 bits: the branch has an
/// operand-size prefix and no REX.W, which overrides it. (Linkers pad calls of __tls_get_addr with
/// that prefix, together with REX.W.)
bool is_shortened(const ZydisDecodedInstruction& instruction) {
  const std::span prefixes(instruction.raw.prefixes, instruction.raw.prefix_count);
  return instruction.raw.rex.W == 0 && std::ranges::any_of(prefixes, [](const auto& prefix) {
           return prefix.value == kOperandSizePrefix;
         });
}

bool has_segment(const ZydisDecodedInstruction& instruction) {
  return (instruction.attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS)) !=
         0;
}

}  // namespace

std::optional<ControlFlow> control_flow(std::span<const std::uint8_t> code) {
  const auto decoded = decode_without_operands(code);
  if (!decoded) return std::nullopt;
  ControlFlow flow;
  flow.length = decoded->length;
  flow.kind = kind_of(*decoded);
  flow.nop = is_nop(*decoded);
  const auto end = static_cast<std::int64_t>(decoded->length);
  if (decoded->raw.imm[0].is_relative) {
    if (is_shortened(*decoded)) return std::nullopt;
    flow.target = end + decoded->raw.imm[0].value.s;
  }
  const bool indirect =
      flow.kind == FlowKind::kIndirectJump || flow.kind == FlowKind::kIndirectCall;
  if (indirect && is_rip_relative(*decoded) && !has_segment(*decoded)) {
    flow.pointer = end + decoded->raw.disp.value;
  }
  return flow;
}

bool falls_through(FlowKind kind) {
  switch (kind) {
    case FlowKind::kSequential:
    case FlowKind::kConditionalJump:
    case FlowKind::kCall:
    case FlowKind::kIndirectCall:
    case FlowKind::kSystemCall:
      return true;
    case FlowKind::kJump:
    case FlowKind::kIndirectJump:
    case FlowKind::kReturn:
    case FlowKind::kTrap:
      return false;
  }
  return false;
}

}  // namespace assay
