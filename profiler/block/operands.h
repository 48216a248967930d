#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/memory_operand.h"

namespace assay {

/// The registers that addresses are computed from, as they are at one moment in the subject.
struct AddressRegisters {
  std::array<std::uint64_t, kGeneralRegisters> general{};  ///< indexed by GeneralRegister
  std::uint64_t rip = 0;  ///< address of the instruction's first byte
  std::uint64_t fs_base = 0;
  std::uint64_t gs_base = 0;
};

/// One memory access of an instruction, explicit or implicit (push, movs, ...).
struct MemoryAccess {
  std::uint64_t address = 0;
  int size = 0;            ///< in bytes
  int alignment = 1;       ///< in bytes: the instruction faults unless address is a multiple of it
  bool canonical = false;  ///< whether 48-bit paging can address every byte of it
  bool misaligned() const { return address % static_cast<std::uint64_t>(alignment) != 0; }
};

/// The address that an operand of an instruction of `length` bytes names, if `registers` are as
/// they were before the instruction. For a gather or scatter, the address that its indices count
/// from.
std::uint64_t address_of(const MemoryOperand& operand, std::size_t length,
                         const AddressRegisters& registers);

/// The accesses of the single instruction at the start of `code`, if `registers` are as they were
/// before it; for a repeated instruction, the access to its next element. Gathers and scatters give
/// none, because their addresses lie in vector registers. Empty if the bytes do not decode. Used to
/// find the cause of a general-protection fault.
std::vector<MemoryAccess> memory_accesses(std::span<const std::uint8_t> code,
                                          const AddressRegisters& registers);

}  // namespace assay
