#include "suites/generate/form_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "profiler/support/error.h"
#include "suites/generate/form_name.h"

namespace assay {
namespace {

/// The address in operands that are an absolute address: the start of the page that the registers
/// of the initial state `distinct` point into.
constexpr std::int64_t kAbsoluteAddress = 0x0123'4000;

constexpr std::uint64_t kFrameSize = 16;

/// An immediate of so many bits that does not fit fewer bytes and is positive when sign-extended.
/// With one byte it is not 1, since shifts by 1 are forms of their own.
std::uint64_t immediate_value(int bits) {
  switch (bits) {
    case 8:
      return 2;
    case 16:
      return 0x1234;
    case 32:
      return 0x1234'5678;
    default:
      return 0x1234'5678'9abc'def0;
  }
}

void set_immediate(const Decoded& decoded, int index, ZydisEncoderOperand& operand) {
  const ZydisDecodedOperand& example = decoded.storage.at(static_cast<std::size_t>(index));
  if (example.visibility != ZYDIS_OPERAND_VISIBILITY_EXPLICIT) return;
  if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_ENTER) {
    // A small frame, so that RSP stays near, and no nesting, which would access more memory.
    operand.imm.u = index == 0 ? kFrameSize : 0;
  } else {
    operand.imm.u = immediate_value(example.size);
  }
}

void set_memory(const OperandChoice& choice, int index, ZydisEncoderOperand& operand) {
  if (operand.mem.base == ZYDIS_REGISTER_NONE) {
    operand.mem.displacement = kAbsoluteAddress;
    return;
  }
  operand.mem.displacement = choice.displacement;
  if (const auto base = choice.registers.find({index, Part::kBase});
      base != choice.registers.end()) {
    operand.mem.base = register_of(Carrier::kGeneral, base->second, 64);
  }
  const auto number = choice.registers.find({index, Part::kIndex});
  if (number == choice.registers.end()) return;
  const int vector_bits = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, operand.mem.index);
  operand.mem.index = vector_bits >= 128
                          ? register_of(Carrier::kVector, number->second, vector_bits)
                          : register_of(Carrier::kGeneral, number->second, 64);
  operand.mem.scale = 1;
}

void set_register(const OperandUse& use, const OperandChoice& choice,
                  ZydisEncoderRequest& request) {
  if (!use.chosen || use.part != Part::kValue) return;
  const auto number = choice.registers.find({use.operand, Part::kValue});
  if (number == choice.registers.end()) return;
  ZydisRegister& reg = request.operands[use.operand].reg.value;
  reg = register_of(use.place.carrier, number->second,
                    ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, reg));
}

std::optional<Bytes> encode(const ZydisEncoderRequest& request) {
  Bytes code(ZYDIS_MAX_INSTRUCTION_LENGTH);
  ZyanUSize length = code.size();
  if (ZYAN_FAILED(ZydisEncoderEncodeInstruction(&request, code.data(), &length))) {
    return std::nullopt;
  }
  code.resize(length);
  return code;
}

/// Whether only EVEX can name the register.
bool is_evex_only(const ZydisEncoderOperand& operand) {
  const ZydisRegister reg = operand.reg.value;
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         (ZydisRegisterGetClass(reg) == ZYDIS_REGCLASS_ZMM ||
          (reg >= ZYDIS_REGISTER_XMM16 && reg <= ZYDIS_REGISTER_XMM31) ||
          (reg >= ZYDIS_REGISTER_YMM16 && reg <= ZYDIS_REGISTER_YMM31));
}

}  // namespace

ZydisRegister register_of(Carrier carrier, int number, int bits) {
  const auto plus = [number](ZydisRegister first) {
    return static_cast<ZydisRegister>(first + number);
  };
  switch (carrier) {
    case Carrier::kGeneral:
      if (bits == 64) return plus(ZYDIS_REGISTER_RAX);
      if (bits == 32) return plus(ZYDIS_REGISTER_EAX);
      if (bits == 16) return plus(ZYDIS_REGISTER_AX);
      // AH to BH stand between BL and SPL.
      return number < 4 ? plus(ZYDIS_REGISTER_AL)
                        : static_cast<ZydisRegister>(ZYDIS_REGISTER_SPL + number - 4);
    case Carrier::kVector:
      if (bits == 512) return plus(ZYDIS_REGISTER_ZMM0);
      return plus(bits == 256 ? ZYDIS_REGISTER_YMM0 : ZYDIS_REGISTER_XMM0);
    case Carrier::kMask:
      return plus(ZYDIS_REGISTER_K0);
    case Carrier::kMmx:
      return plus(ZYDIS_REGISTER_MM0);
    case Carrier::kX87:
      return plus(ZYDIS_REGISTER_ST0);
    default:
      return ZYDIS_REGISTER_NONE;
  }
}

std::optional<Bytes> encode_form(const InstructionForm& form, const OperandChoice& choice) {
  const auto example = decode_one(form.code);
  ZydisEncoderRequest request;
  if (!example || ZYAN_FAILED(ZydisEncoderDecodedInstructionToEncoderRequest(
                      &example->instruction, example->storage.data(),
                      example->instruction.operand_count_visible, &request))) {
    return std::nullopt;
  }
  for (int i = 0; i < request.operand_count; ++i) {
    ZydisEncoderOperand& operand = request.operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE) set_immediate(*example, i, operand);
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) set_memory(choice, i, operand);
  }
  for (const OperandUse& use : uses_of(*example)) set_register(use, choice, request);
  const auto code = encode(request);
  if (!code) return std::nullopt;
  const auto again = decode_one(*code);
  if (!again || again->instruction.length != code->size() || name_of(*again) != form.name) {
    return std::nullopt;
  }
  return code;
}

Bytes encode_instruction(ZydisMnemonic mnemonic, std::vector<ZydisEncoderOperand> operands) {
  // Zydis's encoder wants EVEX instructions to have the mask as their second operand; k0 is no
  // mask.
  if (std::ranges::any_of(operands, is_evex_only)) {
    operands.insert(operands.begin() + 1, register_operand(ZYDIS_REGISTER_K0));
  }
  ZydisEncoderRequest request{};
  request.machine_mode = ZYDIS_MACHINE_MODE_LONG_64;
  request.mnemonic = mnemonic;
  request.operand_count = static_cast<ZyanU8>(operands.size());
  std::ranges::copy(operands, std::begin(request.operands));
  const auto code = encode(request);
  if (!code) throw Error(fmt::format("Zydis encodes no such {}", ZydisMnemonicGetString(mnemonic)));
  return *code;
}

ZydisEncoderOperand register_operand(ZydisRegister reg) {
  ZydisEncoderOperand operand{};
  operand.type = ZYDIS_OPERAND_TYPE_REGISTER;
  operand.reg.value = reg;
  return operand;
}

ZydisEncoderOperand memory_operand(ZydisRegister base, std::int64_t displacement, int bits) {
  ZydisEncoderOperand operand{};
  operand.type = ZYDIS_OPERAND_TYPE_MEMORY;
  operand.mem.base = base;
  operand.mem.displacement = displacement;
  operand.mem.size = static_cast<ZyanU16>(bits / 8);
  return operand;
}

ZydisEncoderOperand immediate_operand(std::uint64_t value) {
  ZydisEncoderOperand operand{};
  operand.type = ZYDIS_OPERAND_TYPE_IMMEDIATE;
  operand.imm.u = value;
  return operand;
}

}  // namespace assay
