#include "profiler/block/may_alias.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/memory_operand.h"
#include "profiler/block/zydis.h"

namespace assay {
namespace {

/// What a register's value is based on, up to a constant: the value that some register had before
/// the first copy (given by its number), or one of the three below.
using Origin = int;
constexpr Origin kUnknown = -1;
constexpr Origin kConstant = kGeneralRegisters;
constexpr Origin kInstructionPointer = kGeneralRegisters + 1;

using Origins = std::array<Origin, kGeneralRegisters>;

constexpr auto kStackPointer = static_cast<std::size_t>(GeneralRegister::kRsp);

/// The number of the general register that `reg` is or is a part of; nothing for other registers.
std::optional<std::size_t> general(ZydisRegister reg) {
  const ZydisRegister parent = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
  if (ZydisRegisterGetClass(parent) != ZYDIS_REGCLASS_GPR64) return std::nullopt;
  return static_cast<std::size_t>(ZydisRegisterGetId(parent));
}

/// Whether the operand is a 64-bit general register.
bool is_whole(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_GPR64;
}

bool is_immediate(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

/// Whether writing the operand leaves nothing of the register's old value: 32-bit writes clear the
/// upper half.
bool replaces_whole(const ZydisDecodedOperand& operand) {
  return operand.type == ZYDIS_OPERAND_TYPE_REGISTER && operand.size >= 32;
}

Origin origin_of_lea(const Decoded& decoded, const Origins& before) {
  const ZydisDecodedOperandMem& memory = decoded.storage[1].mem;
  if (memory.index != ZYDIS_REGISTER_NONE || decoded.instruction.address_width != 64) {
    return kUnknown;
  }
  if (memory.base == ZYDIS_REGISTER_NONE) return kConstant;
  if (memory.base == ZYDIS_REGISTER_RIP) return kInstructionPointer;
  return before[*general(memory.base)];
}

/// The origin of what the instruction writes to its first operand, a general register.
Origin origin_of_result(const Decoded& decoded, const Origins& before) {
  const ZydisDecodedOperand& target = decoded.storage[0];
  const ZydisDecodedOperand& source = decoded.storage[1];
  const bool whole = is_whole(target);
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
      if (is_immediate(source) && replaces_whole(target)) return kConstant;
      return whole && is_whole(source) ? before[*general(source.reg.value)] : kUnknown;
    case ZYDIS_MNEMONIC_LEA:
      return whole ? origin_of_lea(decoded, before) : kUnknown;
    case ZYDIS_MNEMONIC_INC:
    case ZYDIS_MNEMONIC_DEC:
      return whole ? before[*general(target.reg.value)] : kUnknown;
    case ZYDIS_MNEMONIC_ADD:
    case ZYDIS_MNEMONIC_SUB:
      if (whole && is_immediate(source)) return before[*general(target.reg.value)];
      [[fallthrough]];
    case ZYDIS_MNEMONIC_XOR: {
      // `xor reg, reg` and `sub reg, reg` give 0, whatever the register held.
      const bool cancels = decoded.instruction.mnemonic != ZYDIS_MNEMONIC_ADD &&
                           source.type == ZYDIS_OPERAND_TYPE_REGISTER &&
                           source.reg.value == target.reg.value;
      return cancels && replaces_whole(target) ? kConstant : kUnknown;
    }
    default:
      return kUnknown;
  }
}

/// Whether the instruction changes the stack pointer only by adding or subtracting a constant.
bool moves_stack_pointer(const Decoded& decoded) {
  switch (decoded.instruction.mnemonic) {
    case ZYDIS_MNEMONIC_PUSH:
    case ZYDIS_MNEMONIC_POP:
    case ZYDIS_MNEMONIC_PUSHF:
    case ZYDIS_MNEMONIC_PUSHFQ:
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ:
      return true;
    default:
      return false;
  }
}

/// Updates the registers' origins for the effect of one instruction.
void follow(const Decoded& decoded, Origins& origins) {
  const Origins before = origins;
  for (const ZydisDecodedOperand& operand : decoded.operands()) {
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER || !is_written(operand)) {
      continue;
    }
    const auto reg = general(operand.reg.value);
    if (!reg) continue;
    const bool hidden = operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN;
    if (hidden && *reg == kStackPointer && moves_stack_pointer(decoded)) continue;
    const bool first = &operand == &decoded.storage[0] && !hidden;
    origins[*reg] = first ? origin_of_result(decoded, before) : kUnknown;
  }
}

/// What an address is computed from, without the constants in it.
struct Place {
  Origin base = kConstant;
  Origin index = kConstant;
  int scale = 0;  ///< 0 if the index is a constant
  bool address_32 = false;
  MemoryOperand::Segment segment = MemoryOperand::Segment::kNone;
  bool operator==(const Place&) const = default;
};

Origin origin_of(std::optional<GeneralRegister> reg, const Origins& origins) {
  return reg ? origins[static_cast<std::size_t>(*reg)] : kConstant;
}

/// What the operand's address is computed from; nothing if that cannot be told.
std::optional<Place> place_of(const MemoryOperand& operand, const Origins& origins) {
  Place place{.base = origin_of(operand.base, origins),
              .index = origin_of(operand.index, origins),
              .scale = operand.scale,
              .address_32 = operand.address_32,
              .segment = operand.segment};
  if (operand.rip_relative) place.base = kInstructionPointer;
  const bool told = place.base != kUnknown && place.index != kUnknown && !operand.bit_offset &&
                    !operand.vector_index && operand.index_bits == 64 && !operand.whole_line;
  if (!told) return std::nullopt;
  if (place.index == kConstant) place.scale = 0;
  return place;
}

/// What one copy's loads and stores are addressed by.
struct Places {
  std::vector<std::optional<Place>> loads;
  std::vector<std::optional<Place>> stores;
};

struct Step {
  Decoded decoded;
  std::vector<MemoryOperand> operands;
};

std::vector<Step> steps_of(const Block& block) {
  std::vector<Step> steps;
  for (const Instruction& instruction : block.instructions) {
    const auto code = std::span(block.bytes).subspan(instruction.offset);
    steps.push_back({*decode_one(code), memory_operands(code)});
  }
  return steps;
}

/// The registers' origins before a copy, once each further copy begins with the same ones; all
/// unknown if that never happens.
Origins steady_origins(const std::vector<Step>& steps) {
  Origins origins{};
  for (std::size_t i = 0; i < origins.size(); ++i) origins[i] = static_cast<Origin>(i);
  // After this many copies a value has passed through every register, unless registers keep
  // rotating their values.
  for (int copy = 0; copy <= kGeneralRegisters; ++copy) {
    const Origins before = origins;
    for (const Step& step : steps) follow(step.decoded, origins);
    if (before == origins) return origins;
  }
  origins.fill(kUnknown);
  return origins;
}

Places places_of(const std::vector<Step>& steps, Origins origins) {
  Places places;
  for (const Step& step : steps) {
    for (const MemoryOperand& operand : step.operands) {
      const auto place = place_of(operand, origins);
      if (operand.read) places.loads.push_back(place);
      if (operand.write) places.stores.push_back(place);
    }
    follow(step.decoded, origins);
  }
  return places;
}

}  // namespace

bool may_alias(const Block& block) {
  if (!block.writes_memory) return false;
  const std::vector<Step> steps = steps_of(block);
  const Places places = places_of(steps, steady_origins(steps));
  if (places.loads.empty() || places.stores.empty()) return false;
  const auto& first = places.loads.front();
  const auto differs = [&](const std::optional<Place>& place) { return !place || place != first; };
  // If one load has the same address as all stores, each other load must have that address too.
  return std::ranges::any_of(places.loads, differs) || std::ranges::any_of(places.stores, differs);
}

}  // namespace assay
