#pragma once

#include <array>
#include <cstdint>

#include "profiler/block/block.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/initial_state.h"

namespace assay {

/// Values of the general registers, indexed by GeneralRegister.
using GeneralValues = std::array<std::uint64_t, kGeneralRegisters>;

/// The code around the copies of a block, in kernels of every kind: code that brings the registers
/// into the initial state, and code that leads back to the subject's own program. Writes to the
/// emitter that it was made with, which must outlive it, as must the block and the state.
class KernelFrame {
 public:
  KernelFrame(const Block& block, const InitialState& state, Emitter& code)
      : block_(block), state_(state), code_(code) {}

  /// Writes the constants that the code below reads. Call it once per kernel, before all else.
  void write_constants();

  /// Loads the state's registers: MMX and vector registers as far as the block uses them; an empty
  /// x87 stack, MXCSR, masks, flags, and the general registers except RSP. Then it runs the
  /// state's own code. RSP is the top of the program's stack afterwards. `general` is what the
  /// general registers are set to; the state's code may change them afterwards, except those in
  /// `fixed` (bit i: GeneralRegister i), which are set again behind it.
  void write_setup(const GeneralValues& general, std::uint16_t fixed = 0);

  /// Writes what is left to do since write_setup(), behind the readings: clears the flags and
  /// reloads what the readings have overwritten (RAX, RDX and, if `rcx` is set, RCX). Reads memory
  /// only if the state has code of its own. RSP is still to be loaded.
  void write_start(bool rcx, const GeneralValues& general, std::uint16_t fixed = 0);

  /// Loads RSP, likewise, and leaves the flags alone. The copies may follow.
  void write_stack_pointer(const GeneralValues& general, std::uint16_t fixed = 0);

  /// The code behind the copies: overwrites every vector register of the block, empties the x87
  /// stack, and goes on with the program's next run. Overwriting the vector registers
  /// also ends all sharing of physical registers that eliminated moves left behind, so that the
  /// next kernel starts with all slots for move elimination free (for general registers, the set-up
  /// does so).
  void write_restore();

 private:
  void write_initial(GeneralRegister reg, std::uint64_t slot, const GeneralValues& general,
                     std::uint16_t fixed);
  void write_x87();
  void write_vectors();
  /// Whether the x87 state may change. If not, it is as the end of every kernel leaves it: empty.
  bool uses_x87() const { return block_.registers.x87 || !state_.code.empty(); }

  const Block& block_;
  const InitialState& state_;
  Emitter& code_;
  std::uint64_t vector_constant_ = 0;
  std::uint64_t mxcsr_constant_ = 0;
};

}  // namespace assay
