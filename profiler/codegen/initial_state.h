#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/block/bytes.h"

namespace assay {

/// The values of registers and memory before each run.
struct InitialState {
  std::array<std::uint64_t, kGeneralRegisters> general{};  ///< by GeneralRegister
  std::uint64_t memory_word = 0;   ///< every aligned 8-byte word of the frame
  std::uint64_t segment_base = 0;  ///< FS and GS base
  std::uint64_t vector_word = 0;   ///< every 8-byte lane of every vector register
  std::uint32_t mxcsr = 0;
  /// Machine code that runs before the first copy, untimed, with all of the above in place. Of what
  /// it does to the flags and to registers that the block leaves alone, nothing remains.
  Bytes code;
};

/// BHive's: every general register and every memory word holds the same address, so that a pointer
/// that is loaded can be followed, and so on without end. The address, 0x12345600, is theirs (Chen
/// et al., "BHive: A Benchmark Suite and Measurement Framework for Validating x86-64 Basic Block
/// Performance Models", IISWC 2019); it is far above page 0 and far below 2^31, so offsets in both
/// directions stay mappable and 32-bit arithmetic keeps it. Vector lanes hold ordinary numbers
/// read as anything: doubles near 1, floats of 1 and 1.875. All floating-point exceptions are
/// masked, subnormals are flushed (FTZ and DAZ), since their assists are a case of their own.
InitialState bhive_initial_state();

}  // namespace assay
