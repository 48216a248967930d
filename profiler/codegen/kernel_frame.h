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
/// into the initial state, and code that restores the subject's own program. Writes to the emitter
/// that it was made with, which must outlive it, as must the block and the state.
class KernelFrame {
 public:
  KernelFrame(const Block& block, const InitialState& state, Emitter& code)
      : block_(block), state_(state), code_(code) {}

  /// Writes the constants that the code below reads. Call it once per kernel, before all else.
  void write_constants();

  /// Saves the program's registers, then loads the state's: x87 and vector registers as far as the
  /// block uses them, MXCSR, masks, flags, and the general registers except RSP. Then it runs the
  /// state's own code. RSP is the program's afterwards, below what was saved. `general` is what the
  /// general registers are set to; the state's code may change them afterwards, except those in
  /// `fixed` (bit i: GeneralRegister i), which are set again behind it.
  void write_setup(const GeneralValues& general, std::uint16_t fixed = 0);

  /// Pushes what an IRETQ, which the caller writes behind it, pops: the state's RSP, clear flags,
  /// and the address to continue at, which the kernel holds in the 8 bytes at `target_constant`.
  ///
  /// A kernel enters its copies through IRETQ because IRETQ serialises (Intel SDM volume 3 and AMD
  /// APM volume 2, "Serializing instructions"), is open to user programs and does not leave a
  /// virtual machine: nothing behind it is fetched before it completes, so that the front end's
  /// queues are empty when the first copy comes. LFENCE would only keep the copies from executing,
  /// with full queues. (Abel and Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on
  /// Recent Intel Microarchitectures", ICS 2022, drain the front end with long NOPs; a core whose
  /// micro-op cache delivers NOPs as fast as they retire is not drained by them.)
  void write_start(std::uint64_t target_constant);

  /// Reloads what the readings have overwritten since write_setup(): RAX, RDX and, if `rcx` is set,
  /// RCX. Changes no other register and no flag; reads memory only if the state has code of its
  /// own.
  void write_overwritten(bool rcx, const GeneralValues& general, std::uint16_t fixed = 0);

  /// The code behind the copies: overwrites every vector register of the block, empties the x87
  /// stack, restores the program's registers and returns to it. Overwriting the vector registers
  /// also ends all sharing of physical registers that eliminated moves left behind, so that the
  /// next kernel starts with all slots for move elimination free (for general registers, the set-up
  /// does so).
  void write_restore();

 private:
  void write_vectors();
  /// Whether the x87 state may change. If not, it is as the end of every kernel leaves it: empty.
  bool uses_x87() const { return block_.registers.x87 || !state_.code.empty(); }

  const Block& block_;
  const InitialState& state_;
  Emitter& code_;
  std::uint64_t vector_constant_ = 0;
  std::uint64_t mxcsr_constant_ = 0;
  std::uint64_t rsp_constant_ = 0;
};

}  // namespace assay
