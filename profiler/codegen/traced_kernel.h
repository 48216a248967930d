#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/codegen/trace_layout.h"
#include "profiler/support/units.h"

namespace assay {

/// The generated function that records what a block does; it is not timed. It begins in the same
/// state as the timed kernels (kernel_frame.h), with clear floating-point exception flags. Its
/// copies do the same as timed copies; in between, stores to the trace area record the registers
/// that addresses are computed from. These stores are relative to RIP, so that they change no
/// register and no flag and need none. The block cannot notice them, except by reading assay's own
/// memory, which its trace shows.
///
/// Flushing subnormal numbers to zero hides them. For blocks with vector registers there is a
/// second entry, which does the same with FTZ and DAZ off and with all exceptions masked, to see
/// their flags. A block may notice that: nothing but the flags is taken from such a run.
///
/// There are 16 copies: within these, a pointer that moves by 4 bytes per copy reaches a line's end
/// once, and an x87 stack that grows by one register per copy overflows. Long blocks, of which
/// fewer copies are timed, have fewer copies here too, down to four (nine if they use the x87), and
/// very long ones as few as the trace area holds.
struct TracedKernel {
  Bytes code;
  std::uint64_t start = 0;            ///< address of the first byte; the code runs only there
  std::uint64_t entry = 0;            ///< address to run
  std::uint64_t subnormal_entry = 0;  ///< the second entry; 0 if there is none
  std::uint64_t first_copy = 0;       ///< address of the first copy's first byte
  Copies copies;
  std::uint64_t home = 0;  ///< the address that the block is taken to lie at (copies.h)
  TraceLayout layout;
  std::size_t copy_size = 0;  ///< size in bytes of a copy with its stores
  struct Start {
    std::size_t in_copy;   ///< offset from the copy's first byte of an instruction with its stores
    std::size_t in_block;  ///< offset of that instruction from the block's first byte
  };
  std::vector<Start> starts;  ///< one for each instruction, in order

  /// The copy and the instruction that an address belongs to, if it lies in the copies; the stores
  /// around an instruction count as part of it. Nothing if it lies outside the copies.
  std::optional<Kernel::Location> locate(std::uint64_t address) const;
};

/// Makes a traced kernel that lies at `address`, a multiple of 64, in the subject's code area.
///
/// Refuses whatever CopyWriter refuses, and by kTooLarge a block whose records are too large for
/// the trace area even for one copy. The code may be larger than that of timed kernels: each
/// register that is recorded takes up to nine bytes, so that it has at most 400 KiB in all, and 6
/// KiB for most blocks. With a condition, what it compares is recorded as well. If a number of
/// copies is asked for, there are so many instead, as far as the trace area holds their records.
std::variant<TracedKernel, Outcome> trace_kernel(
    const Block& block, const InitialState& state, std::uint64_t address,
    const std::optional<LoopCondition>& condition = std::nullopt,
    std::optional<Copies> copies = std::nullopt);

}  // namespace assay
