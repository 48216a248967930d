#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/reads.h"

namespace assay {

/// The generated functions that are timed: one body of copies, and an entry for each size at which
/// it is run. All sizes run the same code, so that it is cached alike for all of them. An entry:
///
///     save the callee-saved registers and RSP; empty the x87 and load vector registers, as far as
///     the block uses them; load MXCSR and mask registers, the general registers; run the initial
///     state's own code; push the start of the body, clear flags and the state's RSP for IRETQ
///     LFENCE; RDTSC, once or several times (reads.h), or RDPMC of one counter after the other;
///     move each reading to a register the block leaves alone; reload RAX, RDX and RCX, as far as
///     that changed them; LFENCE; IRETQ, which drains the front end; JMP to the place in the body
///     that makes the size copies, or to the loop over them;
///     LFENCE; RDTSC, or RDPMC in the same order, and their differences; LFENCE;
///     store these in the control area; restore; return
///
/// Between the first reading and the last there is no memory access but the block's and that of
/// IRETQ, and where the initial state has code of its own the loads of what it left in RAX, RDX and
/// RCX; and between the copies no branch but the block's and the loop's. What stands there beside
/// the copies is the same at every size and so drops out of a difference of two sizes. The readings
/// are the low halves of the counters: what a run reads must stay under 2^32, of core cycles or the
/// sum of eight time stamps at least a tenth of a second, which the time limit sees to.
///
/// A size of 0 runs no copy, and no instruction of the loop over them: what then is read is what a
/// kernel itself costs.
struct Kernel {
  Bytes code;
  std::uint64_t start = 0;             ///< of the code's first byte: it runs nowhere else
  std::vector<std::uint64_t> entries;  ///< addresses to call, by size; System V calling convention
  std::uint64_t first_copy = 0;        ///< address of the body's first copy
  std::int64_t copies = 0;             ///< in the body
  std::size_t block_size = 0;
  std::size_t counts = 1;  ///< that every run stores: subject::Control::counts
  // What depends on where the code lies, as offsets in it: its own addresses, of 8 bytes, and
  // distances to what is not part of it, of 4.
  std::vector<std::uint32_t> addresses;
  std::vector<std::uint32_t> distances;

  /// The same kernel at another address, which must be a multiple of 64 in the code area.
  Kernel moved_to(std::uint64_t address) const;

  struct Location {
    std::int64_t copy;   ///< of the body, from 0
    std::size_t offset;  ///< from the block's first byte
  };
  /// Where in the copies an address lies; nothing if outside them.
  std::optional<Location> locate(std::uint64_t address) const;
};

/// Unrolls the block: an entry for each of `sizes`, which runs so many copies in a row. The kernel
/// lies at `address`, a multiple of 64, in the subject's code area.
///
/// A final branch leads to the next copy whether it is taken or not. The last copy's leads to the
/// end of the timed region.
///
/// Refuses what CopyWriter does; and by kNoFreeRegister a block that leaves fewer general and
/// vector registers alone than there are readings (spare_registers.h).
std::variant<Kernel, Outcome> unroll(const Block& block, std::span<const std::int64_t> sizes,
                                     const InitialState& state, std::uint64_t address,
                                     const Reads& reads = {});

/// Loops over `body_copies` copies of the block: an entry for each of `sizes`, which runs the loop
/// so many times. A register that the block leaves alone counts down.
///
/// The copies are followed by DEC and JNZ. If the block ends in a branch, that one closes the loop
/// instead: DEC and JZ, out of the loop, stand in front of the copies; the last copy's branch leads
/// back to them, and, where it is conditional, so does a JMP behind it. The flags that the first
/// copy finds are those of DEC, whichever way the loop is closed.
///
/// Refuses as unroll() does, and by kNoFreeRegister a block that uses every general register but
/// RSP.
std::variant<Kernel, Outcome> loop(const Block& block, std::int64_t body_copies,
                                   std::span<const std::int64_t> sizes, const InitialState& state,
                                   std::uint64_t address, const Reads& reads = {});

/// Bytes that a kernel of so many copies in its body and so many sizes takes at most.
std::size_t kernel_size_bound(const Block& block, std::int64_t copies, std::size_t sizes,
                              const InitialState& state, const Reads& reads = {});

}  // namespace assay
