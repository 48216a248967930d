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

namespace assay {

/// The generated function that tells what a block does, and is not timed. It begins in the same
/// state as the timed kernels (kernel_frame.h), but with all floating-point exceptions masked and
/// their flags clear, and with FTZ and DAZ off. Its copies do what theirs do; in between, stores to
/// the trace area keep the registers that addresses are made of. These stores are relative to RIP
/// and so change no register and no flag and need none; to the block they are invisible but for the
/// place of its instructions.
///
/// There are 16 copies: a pointer that moves by 4 bytes a copy passes a line's end once in them,
/// and an x87 stack that grows by one a copy overflows. Long blocks, of which fewer are timed, have
/// fewer copies, down to four (nine if they use the x87), and very long ones as few as the trace
/// area holds.
struct TracedKernel {
  Bytes code;
  std::uint64_t start = 0;       ///< of the code's first byte: it runs nowhere else
  std::uint64_t entry = 0;       ///< address to call; System V calling convention
  std::uint64_t first_copy = 0;  ///< address of the first copy's first byte
  std::int64_t copies = 0;
  std::uint64_t home = 0;  ///< where the block is taken to lie (copies.h)
  TraceLayout layout;
  std::size_t copy_size = 0;  ///< bytes of a copy with its stores
  struct Start {
    std::size_t place;  ///< of an instruction with the stores around it, from its copy's first byte
    std::size_t offset;  ///< of that instruction, from the block's
  };
  std::vector<Start> starts;  ///< of all instructions, in order

  /// The copy and the instruction that an address in the copies belongs to, its stores included;
  /// nothing if outside them.
  std::optional<Kernel::Location> locate(std::uint64_t address) const;
};

/// Makes it, to lie at `address`, a multiple of 64, in the subject's code area.
///
/// Refuses what CopyWriter does; and by kTooLarge a block of which the trace area does not hold the
/// records of one copy. It may be larger than the timed kernels: up to nine bytes for each register
/// that is kept, so at most 400 KiB in all, and 6 KiB for most blocks.
std::variant<TracedKernel, Outcome> trace_kernel(const Block& block, const InitialState& state,
                                                 std::uint64_t address);

}  // namespace assay
