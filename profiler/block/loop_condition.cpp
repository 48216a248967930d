#include "profiler/block/loop_condition.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "profiler/block/zydis.h"

namespace assay {
namespace {

using enum LoopCondition::Relation;
using Relation = LoopCondition::Relation;
using Operand = LoopCondition::Operand;

Decoded decoded_at(const Block& block, std::size_t index) {
  const Instruction& at = block.instructions[index];
  return decode_one(std::span(block.bytes).subspan(at.offset, at.length)).value();
}

constexpr std::array<std::pair<ZydisMnemonic, Relation>, 12> kRelations = {{
    {ZYDIS_MNEMONIC_JZ, kEqual},
    {ZYDIS_MNEMONIC_JNZ, kNotEqual},
    {ZYDIS_MNEMONIC_JL, kLess},
    {ZYDIS_MNEMONIC_JS, kLess},
    {ZYDIS_MNEMONIC_JNL, kGreaterOrEqual},
    {ZYDIS_MNEMONIC_JNS, kGreaterOrEqual},
    {ZYDIS_MNEMONIC_JNLE, kGreater},
    {ZYDIS_MNEMONIC_JLE, kLessOrEqual},
    {ZYDIS_MNEMONIC_JB, kBelow},
    {ZYDIS_MNEMONIC_JNB, kAboveOrEqual},
    {ZYDIS_MNEMONIC_JNBE, kAbove},
    {ZYDIS_MNEMONIC_JBE, kBelowOrEqual},
}};

std::optional<Relation> relation_of(ZydisMnemonic branch) {
  const auto* const found =
      std::ranges::find(kRelations, branch, &std::pair<ZydisMnemonic, Relation>::first);
  if (found == kRelations.end()) return std::nullopt;
  return found->second;
}

bool is_unsigned(Relation relation) { return relation >= kBelow; }

bool writes_flags(const Decoded& decoded) {
  const ZydisAccessedFlags* const flags = decoded.instruction.cpu_flags;
  return flags != nullptr &&
         (flags->modified | flags->set_0 | flags->set_1 | flags->undefined) != 0;
}

bool reads_flags(const Decoded& decoded) {
  const ZydisAccessedFlags* const flags = decoded.instruction.cpu_flags;
  return flags != nullptr && flags->tested != 0;
}

/// Whether some instruction may find flags that the copy before left: one that reads them stands
/// before the first that writes any.
bool reads_earlier_flags(const Block& block) {
  for (std::size_t i = 0; i + 1 < block.instructions.size(); ++i) {
    const Decoded decoded = decoded_at(block, i);
    if (reads_flags(decoded)) return true;
    if (writes_flags(decoded)) return false;
  }
  return false;
}

/// One explicit operand; nothing if it is the upper half of a 16-bit register.
std::optional<Operand> operand_of(const ZydisDecodedOperand& operand) {
  switch (operand.type) {
    case ZYDIS_OPERAND_TYPE_REGISTER: {
      const ZydisRegister reg = operand.reg.value;
      if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH) return std::nullopt;
      const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
      if (ZydisRegisterGetClass(whole) != ZYDIS_REGCLASS_GPR64) return std::nullopt;
      return Operand{.reg = static_cast<GeneralRegister>(ZydisRegisterGetId(whole))};
    }
    case ZYDIS_OPERAND_TYPE_MEMORY:
      return Operand{.memory = true};
    case ZYDIS_OPERAND_TYPE_IMMEDIATE:
      return Operand{.constant = operand.imm.value.u};
    default:
      return std::nullopt;
  }
}

bool same_register(const Operand& a, const Operand& b) { return a.reg && a.reg == b.reg; }

/// Fills in what the instruction compares. Returns whether its flags are those of a comparison, as
/// far as the relation needs them.
bool set_operands(const Decoded& decoded, LoopCondition& condition) {
  const auto operands = decoded.operands();
  if (operands.empty()) return false;
  const auto a = operand_of(operands[0]);
  if (!a) return false;
  condition.bits = operands[0].size;
  condition.a = *a;
  const auto second = [&]() -> std::optional<Operand> {
    const bool is_explicit =
        operands.size() > 1 && operands[1].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    return is_explicit ? operand_of(operands[1]) : std::nullopt;
  }();
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_CMP:
    case ZYDIS_MNEMONIC_SUB:
      condition.b = second.value_or(Operand{});
      return second.has_value();
    case ZYDIS_MNEMONIC_TEST:
    case ZYDIS_MNEMONIC_AND:
    case ZYDIS_MNEMONIC_OR:
      return second && same_register(*a, *second);
    case ZYDIS_MNEMONIC_ADD:
      if (!second || second->reg || second->memory || is_unsigned(condition.relation)) return false;
      condition.b.constant = 0 - second->constant;
      return true;
    case ZYDIS_MNEMONIC_INC:
      condition.b.constant = ~std::uint64_t{0};
      return !is_unsigned(condition.relation);
    case ZYDIS_MNEMONIC_DEC:
      condition.b.constant = 1;
      return !is_unsigned(condition.relation);
    default:
      return false;
  }
}

/// Whether all cores fuse a CMP with this branch. (Intel's do not if it asks for the sign.)
bool fuses_with_cmp(ZydisMnemonic branch) {
  return branch != ZYDIS_MNEMONIC_JS && branch != ZYDIS_MNEMONIC_JNS;
}

bool only_compares(const Decoded& setter, ZydisMnemonic branch) {
  const ZydisMnemonic mnemonic = setter.instruction.mnemonic;
  const bool fuses =
      mnemonic == ZYDIS_MNEMONIC_TEST || (mnemonic == ZYDIS_MNEMONIC_CMP && fuses_with_cmp(branch));
  return fuses && std::ranges::none_of(setter.operands(), [](const auto& operand) {
           return operand.type == ZYDIS_OPERAND_TYPE_MEMORY;
         });
}

}  // namespace

std::uint16_t LoopCondition::registers() const {
  std::uint16_t set = 0;
  for (const Operand& operand : {a, b}) {
    if (operand.reg) set = static_cast<std::uint16_t>(set | 1U << static_cast<int>(*operand.reg));
  }
  return set;
}

std::int64_t LoopCondition::sign_extended(std::uint64_t value) const {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

bool LoopCondition::holds(std::uint64_t a_value, std::uint64_t b_value) const {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t a_bits = a_value & mask;
  const std::uint64_t b_bits = b_value & mask;
  const std::int64_t a_signed = sign_extended(a_value);
  const std::int64_t b_signed = sign_extended(b_value);
  switch (relation) {
    case kEqual:
      return a_bits == b_bits;
    case kNotEqual:
      return a_bits != b_bits;
    case kLess:
      return a_signed < b_signed;
    case kGreaterOrEqual:
      return a_signed >= b_signed;
    case kGreater:
      return a_signed > b_signed;
    case kLessOrEqual:
      return a_signed <= b_signed;
    case kBelow:
      return a_bits < b_bits;
    case kAboveOrEqual:
      return a_bits >= b_bits;
    case kAbove:
      return a_bits > b_bits;
    case kBelowOrEqual:
      return a_bits <= b_bits;
  }
  return false;
}

std::optional<LoopCondition> loop_condition(const Block& block) {
  if (!block.final_branch) return std::nullopt;
  LoopCondition condition;
  const std::size_t branch = block.instructions.size() - 1;
  const ZydisMnemonic mnemonic = decoded_at(block, branch).instruction.mnemonic;
  if (mnemonic == ZYDIS_MNEMONIC_LOOP) {
    condition.setter = branch;
    condition.a.reg = GeneralRegister::kRcx;
    condition.b.constant = 1;
    return condition;
  }
  const auto relation = relation_of(mnemonic);
  if (!relation) return std::nullopt;
  condition.relation = *relation;
  for (std::size_t i = branch; i-- > 0;) {
    const Decoded setter = decoded_at(block, i);
    if (!writes_flags(setter)) continue;
    if (!set_operands(setter, condition)) return std::nullopt;
    condition.setter = i;
    condition.only_compares =
        i + 1 == branch && only_compares(setter, mnemonic) && !reads_earlier_flags(block);
    return condition;
  }
  return std::nullopt;
}

}  // namespace assay
