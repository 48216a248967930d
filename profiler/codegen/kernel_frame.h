#pragma once

#include <array>
#include <cstdint>

#include "profiler/block/block.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/initial_state.h"

namespace assay {

/// Values of the general registers, by GeneralRegister.
using GeneralValues = std::array<std::uint64_t, kGeneralRegisters>;

/// The code around the copies of a block, in kernels of every kind: what brings the registers into
/// the initial state, and what restores the subject's own program. Writes to the emitter that it
/// was made with, which must outlive it, as must the block and the state.
class KernelFrame {
 public:
  KernelFrame(const Block& block, const InitialState& state, Emitter& code)
      : block_(block), state_(state), code_(code) {}

  /// What the code below reads: once in a kernel, before all else.
  void write_constants();

  /// Saves the program's registers, then loads the state's: x87 and vector registers as far as the
  /// block uses them, MXCSR, masks, flags, the general registers but for RSP; and runs the state's
  /// own code. RSP is the program's afterwards, behind what was saved. `general`: what the general
  /// registers hold then, unless the state's code changes them; but those in `fixed` (bit i:
  /// GeneralRegister i) whatever it does.
  void write_setup(const GeneralValues& general, std::uint16_t fixed = 0);

  /// Pushes what an IRETQ, written by the caller behind it, needs to go on with the state's RSP and
  /// with clear flags. `target_constant`: where the kernel holds the address to go on at, in 8
  /// bytes.
  ///
  /// A kernel enters its copies so since IRETQ serialises (Intel SDM volume 3 and AMD APM volume 2,
  /// "Serializing instructions"), is open to programs and does not leave a virtual machine: nothing
  /// behind it is fetched before it ends, so that the front end's queues are empty when the first
  /// copy comes. LFENCE would only keep the copies from executing, with full queues. (Abel and
  /// Reineke, "uiCA: Accurate Throughput Prediction of Basic Blocks on Recent Intel
  /// Microarchitectures", ICS 2022, drain the front end with long NOPs; a core whose micro-op cache
  /// delivers NOPs as fast as they retire is not drained by them.)
  void write_start(std::uint64_t target_constant);

  /// Loads once more what readings have overwritten since write_setup(): RAX, RDX and, if `rcx`,
  /// RCX. Changes no other register and no flag; reads memory only where the state has code.
  void write_overwritten(bool rcx, const GeneralValues& general, std::uint16_t fixed = 0);

  /// Behind the copies: overwrites every vector register of the block, which also ends all sharing
  /// of physical registers that eliminated moves left behind, so that the next kernel starts with
  /// all slots for move elimination free (the set-up overwrites the general ones); empties the x87,
  /// restores the program's registers and returns to it.
  void write_restore();

 private:
  void write_vectors();
  /// What leaves the x87 alone finds it as every other kernel's end left it: empty.
  bool uses_x87() const { return block_.registers.x87 || !state_.code.empty(); }

  const Block& block_;
  const InitialState& state_;
  Emitter& code_;
  std::uint64_t vector_constant_ = 0;
  std::uint64_t mxcsr_constant_ = 0;
  std::uint64_t rsp_constant_ = 0;
};

}  // namespace assay
