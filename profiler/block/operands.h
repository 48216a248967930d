#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/memory_operand.h"

namespace assay {

/// The registers that addresses are made of, at one moment of the subject.
struct AddressRegisters {
  std::array<std::uint64_t, kGeneralRegisters> general{};  ///< by GeneralRegister
  std::uint64_t rip = 0;                                   ///< of the instruction's first byte
  std::uint64_t fs_base = 0;
  std::uint64_t gs_base = 0;
};

/// One memory access of an instruction, explicit or implicit (push, movs, ...).
struct MemoryAccess {
  std::uint64_t address = 0;
  int size = 0;            ///< bytes
  int alignment = 1;       ///< bytes: the instruction faults unless address is a multiple of it
  bool canonical = false;  ///< whether 48-bit paging can hold every byte of it
  bool misaligned() const { return address % static_cast<std::uint64_t>(alignment) != 0; }
};

/// The address that an operand of an instruction of `length` bytes names with these registers, as
/// they were before it. Of a gather or scatter, the address that its indices count from.
std::uint64_t address_of(const MemoryOperand& operand, std::size_t length,
                         const AddressRegisters& registers);

/// The accesses of the one instruction at the start of `code`, with the registers as they were
/// before it; of a repeated one, the next element's. Gathers and scatters, whose addresses lie in
/// vector registers, give none. Empty if the bytes decode to nothing. Used to tell apart the causes
/// of a general-protection fault.
std::vector<MemoryAccess> memory_accesses(std::span<const std::uint8_t> code,
                                          const AddressRegisters& registers);

}  // namespace assay
