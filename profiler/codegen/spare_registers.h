#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

#include "profiler/block/block.h"

namespace assay {

/// A register that the block leaves alone, where a first reading waits while the copies run.
struct Keeper {
  std::optional<GeneralRegister> general;
  int vector = -1;  ///< used if there is no general register; from 16 on only with AVX-512
};

/// The registers that a kernel uses and its block leaves alone.
struct SpareRegisters {
  std::optional<GeneralRegister> counter;  ///< counts the iterations of a loop; else empty
  std::vector<Keeper> keepers;             ///< one for each reading
};

/// What decides how many registers a kernel needs beside those of its block.
struct KernelNeeds {
  bool loop = false;
  std::size_t readings = 1;  ///< how many readings are taken before the copies
  bool use_rcx = false;      ///< whether readings overwrite RCX too (Reads::use_rcx)
};

/// Chooses spare registers. RSP is never chosen, so that it always holds an address. RAX, RDX and,
/// if readings overwrite it, RCX are never keepers; they may count the iterations of a loop, but
/// only if no other register can. Refuses by kNoFreeRegister a block that does not leave enough
/// registers alone.
std::variant<SpareRegisters, Outcome> find_spare_registers(const Block& block,
                                                           const KernelNeeds& needs);

}  // namespace assay
