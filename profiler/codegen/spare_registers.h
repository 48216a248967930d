#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// Where a first reading waits while the copies run: a register that the block leaves alone.
struct Keeper {
  std::optional<GeneralRegister> general;
  int vector = -1;  ///< instead, if there is no general one; from 16 on by AVX-512
};

/// What a kernel needs of registers that its block leaves alone.
struct SpareRegisters {
  std::optional<GeneralRegister> counter;  ///< of a loop
  std::vector<Keeper> keepers;             ///< one for each reading
};

/// What else the kernel is, as far as it takes registers.
struct KernelNeeds {
  bool loop = false;
  std::size_t readings = 1;  ///< taken before the copies
  bool use_rcx = false;      ///< which readings take too (Reads::use_rcx)
};

/// RSP is never among them, so that it always holds an address; nor do RAX, RDX and, if readings
/// use it, RCX keep anything, since readings need them. These may count the turns of a loop,
/// though, if no other register can. Refuses by kNoFreeRegister a block that does not leave enough.
std::variant<SpareRegisters, Outcome> find_spare_registers(const Block& block,
                                                           const KernelNeeds& needs);

}  // namespace assay
