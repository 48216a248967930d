#include "suites/generate/needs.h"

#include <algorithm>

namespace assay {
namespace {

constexpr int kRax = 0;
constexpr int kRcx = 1;
constexpr int kRdx = 2;

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};
constexpr std::uint64_t kDividend = 64;
constexpr std::uint64_t kShiftCount = 2;
/// The x87, SSE and AVX parts of the state.
constexpr std::uint64_t kStateParts = 7;
// All floating-point exceptions masked, as programs start with.
constexpr std::uint64_t kMxcsr = 0x1f80;
constexpr std::uint64_t kX87Control = 0x037f;

Need number(std::uint64_t value) { return {Need::Kind::kNumber, value}; }

bool is_division(const Decoded& decoded) {
  return decoded.instruction.mnemonic == ZYDIS_MNEMONIC_DIV ||
         decoded.instruction.mnemonic == ZYDIS_MNEMONIC_IDIV;
}

/// Whether it is a shift or rotation. RCX is a fixed operand of these only as CL, the count.
bool shifts(const Decoded& decoded) {
  return decoded.instruction.meta.category == ZYDIS_CATEGORY_SHIFT ||
         decoded.instruction.meta.category == ZYDIS_CATEGORY_ROTATE;
}

bool selects_by_rcx(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_XGETBV:
    case ZYDIS_MNEMONIC_RDPKRU:
    case ZYDIS_MNEMONIC_RDPRU:
      return true;
    default:
      return false;
  }
}

bool gathers(const Decoded& decoded) {
  return std::ranges::any_of(decoded.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB;
  });
}

bool is_gather_mask(const Decoded& decoded, const OperandUse& use) {
  if (!gathers(decoded) || use.part != Part::kValue || !use.read || !use.written) return false;
  // AVX2's mask is a vector and the last operand; the first operand is the vector that is filled.
  return use.place.carrier == Carrier::kMask ||
         (use.place.carrier == Carrier::kVector && use.operand == 2);
}

bool is_bit_offset(const Decoded& decoded, const OperandUse& use) {
  return decoded.instruction.meta.category == ZYDIS_CATEGORY_BITBYTE && use.operand == 1 &&
         decoded.storage[0].type == ZYDIS_OPERAND_TYPE_MEMORY;
}

/// Whether the form fixes the use's register, and has it as the base of an implicit memory operand.
bool is_fixed_base(const Decoded& decoded, const OperandUse& use) {
  if (use.chosen) return false;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
        operand.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT &&
        operand.mem.base >= ZYDIS_REGISTER_EAX && operand.mem.base <= ZYDIS_REGISTER_R15 &&
        ZydisRegisterGetId(operand.mem.base) == use.place.number) {
      return true;
    }
  }
  return use.place.number == ZydisRegisterGetId(ZYDIS_REGISTER_RSP);
}

Need need_of_division(const OperandUse& use) {
  if (use.chosen) return number(1);
  return number(use.place.number == kRdx ? 0 : kDividend);
}

Need need_of_fixed_register(const Decoded& decoded, const OperandUse& use) {
  if (decoded.is_repeated() && use.place.number == kRcx) return number(kRepeatCount);
  if (shifts(decoded) && use.place.number == kRcx) {
    return {Need::Kind::kNumber, kShiftCount, false};
  }
  if (saves_extended_state(decoded.instruction))
    return number(use.place.number == kRax ? kStateParts : 0);
  if (selects_by_rcx(decoded) && use.place.number == kRcx) return number(0);
  if (is_fixed_base(decoded, use)) return {Need::Kind::kAddress};
  return {};
}

}  // namespace

Need need_of(const Decoded& decoded, const OperandUse& use) {
  if (use.part != Part::kValue) {
    const auto& operand = decoded.storage.at(static_cast<std::size_t>(use.operand));
    const bool computes =
        operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN;
    if (computes) return {};
    return use.part == Part::kIndex ? number(0) : Need{Need::Kind::kAddress};
  }
  if (is_gather_mask(decoded, use)) return number(kAllOnes);
  if (use.place.carrier != Carrier::kGeneral) return {};
  if (is_division(decoded)) return need_of_division(use);
  if (is_bit_offset(decoded, use)) return number(0);
  return use.chosen ? Need{} : need_of_fixed_register(decoded, use);
}

std::optional<std::uint64_t> memory_word_need(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
      if (decoded.storage[0].type != ZYDIS_OPERAND_TYPE_MEMORY) return std::nullopt;
      return 1;
    case ZYDIS_MNEMONIC_LDMXCSR:
    case ZYDIS_MNEMONIC_VLDMXCSR:
      return kMxcsr;
    case ZYDIS_MNEMONIC_FLDCW:
    case ZYDIS_MNEMONIC_FLDENV:
    case ZYDIS_MNEMONIC_FRSTOR:
      return kX87Control;
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ:
      return 0;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> memory_word_of_numbers(const Decoded& decoded) {
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    const bool read = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0;
    if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY || !read) continue;
    switch (operand.element_type) {
      case ZYDIS_ELEMENT_TYPE_FLOAT16:
        return 0x3c00'3c00'3c00'3c00;
      case ZYDIS_ELEMENT_TYPE_FLOAT32:
        return 0x3f80'0000'3f80'0000;
      case ZYDIS_ELEMENT_TYPE_FLOAT64:
        return 0x3ff0'0000'0000'0000;
      default:
        break;
    }
  }
  return std::nullopt;
}

bool is_used_up(const Decoded& decoded, const OperandUse& use) {
  if (is_gather_mask(decoded, use)) return true;
  return decoded.is_repeated() && use.place == Place{Carrier::kGeneral, kRcx};
}

}  // namespace assay
