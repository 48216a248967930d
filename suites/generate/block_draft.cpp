#include "suites/generate/block_draft.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/block/memory_operand.h"
#include "profiler/codegen/state_text.h"
#include "suites/generate/form_name.h"

namespace assay {
namespace {

std::vector<int> numbers(int first, int last) {
  std::vector<int> result;
  for (int i = first; i <= last; ++i) result.push_back(i);
  return result;
}

/// The registers that operands may have. Without RAX, which makes some instructions another form
/// (add rax, imm32), without RSP, and without those that BlockDraft keeps for itself.
std::map<Carrier, std::vector<int>> all_registers(const Decoded& decoded) {
  std::vector<int> vectors = numbers(1, 14);
  if (decoded.instruction.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX) {
    const std::vector<int> upper = numbers(16, 31);
    vectors.insert(vectors.end(), upper.begin(), upper.end());
  }
  vectors.push_back(0);
  return {{Carrier::kGeneral, {3, 1, 6, 7, 2, 5, 8, 9, 10}},
          {Carrier::kVector, vectors},
          {Carrier::kMask, numbers(1, 6)},
          {Carrier::kMmx, {1, 2, 3, 4, 5, 6, 0}}};
}

int widest_vector(const Decoded& decoded) {
  int bits = 128;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    bits =
        std::max<int>(bits, ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand.reg.value));
  }
  return bits;
}

ZydisRegister general_register(int number, int bits = 64) {
  return register_of(Carrier::kGeneral, number, bits);
}

ZydisEncoderOperand reg(ZydisRegister value) { return register_operand(value); }

}  // namespace

std::string form_name_of(const Bytes& code) {
  const auto decoded = decode_one(code);
  return decoded ? name_of(*decoded) : "";
}

BlockDraft::BlockDraft(const InstructionForm& form) : form_(form) {
  auto decoded = decode_one(form.code);
  if (!decoded) throw NoBlock("it does not decode");
  example_ = *decoded;
  uses_ = uses_of(example_);
  free_ = all_registers(example_);
  vector_bits_ = widest_vector(example_);
  for (const OperandUse& use : uses_) reserve(use);
}

void BlockDraft::reserve(const OperandUse& use) {
  if (use.chosen) return;
  std::erase(free_[use.place.carrier], use.place.number);
  if (use.place.carrier == Carrier::kGeneral) std::erase(free_constants_, use.place.number);
}

int BlockDraft::take(Carrier carrier) {
  std::vector<int>& free = free_[carrier];
  if (free.empty()) throw NoBlock("too few registers");
  const int number = free.front();
  free.erase(free.begin());
  return number;
}

int BlockDraft::free_registers(Carrier carrier) const {
  const auto found = free_.find(carrier);
  return found == free_.end() ? 0 : static_cast<int>(found->second.size());
}

OperandChoice BlockDraft::choose() {
  OperandChoice choice;
  for (const OperandUse& use : uses_) {
    if (!use.chosen || use.place.carrier == Carrier::kX87) continue;
    const bool base = use.part == Part::kBase && use.place.carrier == Carrier::kGeneral;
    choice.registers[{use.operand, use.part}] = base ? kMemoryBase : take(use.place.carrier);
  }
  fill_needs(choice);
  return choice;
}

/// Lets general registers hold from the start the numbers that the form needs in them.
void BlockDraft::fill_needs(const OperandChoice& choice) {
  for (const OperandUse& use : uses_) {
    const Need need = need_of(example_, use);
    const int number = place_in(use, choice).number;
    if (use.place.carrier == Carrier::kGeneral && need.kind == Need::Kind::kNumber) {
      begin_with(number, need.number);
    }
  }
}

void BlockDraft::add_zero_indices(const OperandChoice& choice, const OperandUse* except) {
  for (const OperandUse& use : uses_) {
    if (use.place.carrier != Carrier::kVector || use.part != Part::kIndex) continue;
    if (except != nullptr && use.name == except->name) continue;
    add(set_vector(use, place_in(use, choice).number, need_of(example_, use)));
  }
}

Place BlockDraft::place_in(const OperandUse& use, const OperandChoice& choice) {
  const auto found = choice.registers.find({use.operand, use.part});
  if (!use.chosen || found == choice.registers.end()) return use.place;
  return {use.place.carrier, found->second};
}

bool BlockDraft::computes_address() const {
  return std::ranges::any_of(example_.operands(), [](const ZydisDecodedOperand& operand) {
    return operand.type == ZYDIS_OPERAND_TYPE_MEMORY && operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN;
  });
}

Location BlockDraft::location_of(const OperandUse& memory, const OperandChoice& choice) {
  const auto operands = memory_operands(form_.code);
  std::size_t index = 0;
  for (const OperandUse& use : uses_) {
    if (use.operand == memory.operand && use.place.carrier == Carrier::kMemory) break;
    if (use.place.carrier == Carrier::kMemory) ++index;
  }
  if (index >= operands.size() || !operands[index].base) throw NoBlock("memory without a base");
  const auto chosen = choice.registers.find({memory.operand, Part::kBase});
  if (chosen != choice.registers.end()) return {kMemoryBase, choice.displacement};
  const int base = static_cast<int>(*operands[index].base);
  const bool moves = std::ranges::any_of(uses_, [&](const OperandUse& use) {
    return use.written && use.place == Place{Carrier::kGeneral, base};
  });
  // A base that the form itself moves is set anew from a constant, which tells where it points.
  const int fixed = moves ? constant({Need::Kind::kAddress}, base) : base;
  return {fixed, static_cast<int>(static_cast<std::int64_t>(operands[index].displacement))};
}

int BlockDraft::constant(const Need& need, int for_register) {
  if (need.kind == Need::Kind::kAnything) return kGeneralConstant;
  const bool address = need.kind == Need::Kind::kAddress;
  if (address && address_constants_.contains(for_register)) {
    return address_constants_.at(for_register);
  }
  if (!address && number_constants_.contains(need.number)) {
    return number_constants_.at(need.number);
  }
  if (free_constants_.empty()) throw NoBlock("too few registers for constants");
  const int number = free_constants_.front();
  free_constants_.erase(free_constants_.begin());
  if (address) {
    address_constants_[for_register] = number;
  } else {
    number_constants_[need.number] = number;
    begin_with(number, need.number);
  }
  return number;
}

void BlockDraft::begin_with(int general_register, std::uint64_t value) {
  initial_[general_register] = value;
}

void BlockDraft::add(const Bytes& code) { code_.insert(code_.end(), code.begin(), code.end()); }

void BlockDraft::add_form(const OperandChoice& choice) {
  const auto code = encode_form(form_, choice);
  if (!code) throw NoBlock("the encoder does not make it with these registers");
  add(*code);
}

void BlockDraft::add_break(const OperandUse& use, const OperandChoice& choice) {
  const Bytes code = break_code(use, choice);
  add(code);
  breaks_.push_back(form_name_of(code));
}

ZydisMnemonic BlockDraft::vector_mnemonic(ZydisMnemonic legacy, ZydisMnemonic vex) const {
  return example_.has_vector_prefix() ? vex : legacy;
}

bool BlockDraft::has_vectors_of(int bits) const {
  return bits == 128 || (example_.has_vector_prefix() && (bits == 256 || bits == 512));
}

Bytes BlockDraft::break_code(const OperandUse& use, const OperandChoice& choice) {
  const Place place = place_in(use, choice);
  const Need need = need_of(example_, use);
  switch (place.carrier) {
    case Carrier::kGeneral:
      return encode_instruction(ZYDIS_MNEMONIC_MOV,
                                {reg(general_register(place.number)),
                                 reg(general_register(constant(need, place.number)))});
    case Carrier::kVector:
      return set_vector(use, place.number, need);
    case Carrier::kMask:
      return encode_instruction(ZYDIS_MNEMONIC_KMOVQ,
                                {reg(register_of(Carrier::kMask, place.number, 64)),
                                 reg(register_of(Carrier::kMask, kMaskConstant, 64))});
    case Carrier::kMmx:
      return encode_instruction(ZYDIS_MNEMONIC_MOVQ,
                                {reg(register_of(Carrier::kMmx, place.number, 64)),
                                 reg(register_of(Carrier::kMmx, kMmxConstant, 64))});
    case Carrier::kFlags:
      return encode_instruction(ZYDIS_MNEMONIC_TEST, {reg(general_register(kGeneralConstant)),
                                                      reg(general_register(kGeneralConstant))});
    case Carrier::kMemory:
      return store_constant(use, choice);
    default:
      throw NoBlock("what " + use.name + " waits for cannot be broken");
  }
}

Bytes BlockDraft::store_constant(const OperandUse& use, const OperandChoice& choice) {
  const Location at = location_of(use, choice);
  const auto memory = memory_operand(general_register(at.base), at.displacement, use.bits);
  if (use.bits <= 64) {
    return encode_instruction(ZYDIS_MNEMONIC_MOV,
                              {memory, reg(general_register(kGeneralConstant, use.bits))});
  }
  if (!has_vectors_of(use.bits)) {
    throw NoBlock(fmt::format("no single store writes {} bits of memory", use.bits));
  }
  return encode_instruction(
      vector_mnemonic(ZYDIS_MNEMONIC_MOVUPS, ZYDIS_MNEMONIC_VMOVUPS),
      {memory, reg(register_of(Carrier::kVector, kVectorConstant, use.bits))});
}

Bytes BlockDraft::set_vector(const OperandUse& use, int number, const Need& need) const {
  // Only EVEX can name registers from 16 on, and only at 512 bits does it not need AVX512VL.
  const int bits = number >= 16 ? 512 : vector_bits_;
  const auto own = reg(register_of(Carrier::kVector, number, bits));
  if (need.kind == Need::Kind::kNumber && need.number != 0) {
    // Comparing a register with itself gives all ones: the mask of AVX2's gathers, which has at
    // most 256 bits.
    return encode_instruction(ZYDIS_MNEMONIC_VPCMPEQD, {own, own, own});
  }
  if (use.part == Part::kIndex) {
    const auto low = reg(register_of(Carrier::kVector, number, number >= 16 ? 512 : 128));
    return encode_instruction(number >= 16 ? ZYDIS_MNEMONIC_VPXORD : ZYDIS_MNEMONIC_VPXOR,
                              {low, low, low});
  }
  return encode_instruction(vector_mnemonic(ZYDIS_MNEMONIC_MOVAPS, ZYDIS_MNEMONIC_VMOVAPS),
                            {own, reg(register_of(Carrier::kVector, kVectorConstant, bits))});
}

std::string BlockDraft::state() const {
  StateRequest request{.profile = "distinct", .overrides = {}};
  for (const auto& [number, value] : initial_) {
    request.overrides.registers.push_back({static_cast<GeneralRegister>(number), value});
  }
  request.overrides.memory_word = memory_word_need(example_);
  if (!request.overrides.memory_word) {
    request.overrides.memory_word = memory_word_of_numbers(example_);
  }
  return to_text(request);
}

}  // namespace assay
