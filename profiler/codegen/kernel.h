#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"

namespace assay {

/// The generated function that is timed:
///
///     save the callee-saved registers and RSP; empty the x87 and load vector registers, as far as
///     the block uses them; load MXCSR and mask registers, clear the flags, load the general
///     registers LFENCE; RDTSC; move the reading to a register the block leaves alone; reload RAX
///     and RDX; LFENCE first copy (its address is a multiple of 64) ... last copy LFENCE; RDTSC;
///     LFENCE store both readings in the control area; restore; return
///
/// Between the two readings there is no branch and no memory access but the block's. What stands
/// there beside the copies is the same at every size and so drops out of a difference of two sizes.
/// The readings are the low halves of the time-stamp counter: runs must stay under 2^32 ticks, more
/// than a second, which the time limit sees to.
struct Kernel {
  Bytes code;
  std::uint64_t start = 0;       ///< of the code's first byte: it runs nowhere else
  std::uint64_t entry = 0;       ///< address to call; the System V calling convention
  std::uint64_t first_copy = 0;  ///< address of the first copy's first byte
  std::int64_t copies = 0;
  std::size_t block_size = 0;

  struct Place {
    std::int64_t copy;   ///< from 0
    std::size_t offset;  ///< from the block's first byte
  };
  /// Where in the copies an address lies; nothing if outside them.
  std::optional<Place> locate(std::uint64_t address) const;
};

/// Unrolls the block: `copies` of it in a row, at `address` in the subject's code area.
///
/// RIP-relative operands: every copy reaches the same target, as a loop over the one block would.
/// The block is taken to lie at subject::kRipBase plus a shift below 64 bytes, chosen so that as
/// many of its RIP-relative accesses as possible are aligned to their size, as compilers align what
/// they refer to; the displacements of each copy are rewritten to reach base + target from where
/// that copy is. kRipRelativeRange refuses a block whose target cannot be reached so, or would lie
/// in assay's own memory.
///
/// A final branch leads to the next copy whether it is taken or not: its displacement becomes 0.
/// The last copy's leads to the end of the timed region.
///
/// kSubjectMemory refuses a block that holds an address of assay's own memory as an immediate.
///
/// kNoFreeRegister refuses a block that uses all general registers and all of XMM0 to XMM15.
std::variant<Kernel, Refusal> unroll(const Block& block, std::int64_t copies,
                                     const InitialState& state, std::uint64_t address);

/// Bytes that a kernel of so many copies takes at most.
std::size_t kernel_size_bound(std::size_t block_size, std::int64_t copies);

}  // namespace assay
