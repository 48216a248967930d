#include "profiler/block/operands.h"

#include "profiler/block/zydis.h"

namespace assay {
namespace {

bool is_canonical(std::uint64_t address) {
  const auto sign_and_above = static_cast<std::int64_t>(address) >> 47;
  return sign_and_above == 0 || sign_and_above == -1;
}

std::uint64_t value_of(std::optional<GeneralRegister> reg, const AddressRegisters& registers) {
  return reg ? registers.general[static_cast<std::size_t>(*reg)] : 0;
}

std::uint64_t low_bits(std::uint64_t value, int bits) {
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

/// How far the word that bt and its kin access is from the word that the operand names, in bytes.
std::uint64_t bit_string_offset(const MemoryOperand& operand, const AddressRegisters& registers) {
  const int unused_bits = 64 - operand.bit_offset_bits;
  const auto raw =
      static_cast<std::int64_t>(value_of(operand.bit_offset, registers) << unused_bits);
  const std::int64_t word_bits = operand.bit_offset_bits;
  return static_cast<std::uint64_t>(((raw >> unused_bits) & -word_bits) / 8);
}

std::uint64_t segment_base(const MemoryOperand& operand, const AddressRegisters& registers) {
  switch (operand.segment) {
    case MemoryOperand::Segment::kFs:
      return registers.fs_base;
    case MemoryOperand::Segment::kGs:
      return registers.gs_base;
    case MemoryOperand::Segment::kNone:
      break;
  }
  return 0;
}

MemoryAccess access_of(const MemoryOperand& operand, std::size_t length,
                       const AddressRegisters& registers) {
  MemoryAccess access;
  access.address = address_of(operand, length, registers);
  access.size = operand.size;
  access.alignment = operand.alignment;
  const std::uint64_t last = access.address + static_cast<std::uint64_t>(access.size) - 1;
  access.canonical = is_canonical(access.address) && (access.size == 0 || is_canonical(last));
  return access;
}

}  // namespace

std::uint64_t address_of(const MemoryOperand& operand, std::size_t length,
                         const AddressRegisters& registers) {
  std::uint64_t offset = value_of(operand.base, registers) + operand.displacement;
  if (operand.rip_relative) offset += registers.rip + length;
  if (operand.index) {
    offset += low_bits(value_of(operand.index, registers), operand.index_bits) *
              static_cast<std::uint64_t>(operand.scale);
  }
  if (operand.bit_offset) offset += bit_string_offset(operand, registers);
  if (operand.address_32) offset &= 0xffff'ffff;
  const std::uint64_t address = offset + segment_base(operand, registers);
  return operand.whole_line ? address & ~std::uint64_t{63} : address;
}

std::vector<MemoryAccess> memory_accesses(std::span<const std::uint8_t> code,
                                          const AddressRegisters& registers) {
  std::vector<MemoryAccess> accesses;
  const auto decoded = decode_one(code);
  if (!decoded) return accesses;
  for (const MemoryOperand& operand : memory_operands(code)) {
    if (operand.vector_index) continue;
    accesses.push_back(access_of(operand, decoded->instruction.length, registers));
  }
  return accesses;
}

}  // namespace assay
