#include "profiler/codegen/kernel_frame.h"

#include <cstddef>

#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kInitialRsp = subject::kReport + offsetof(subject::Report, initial_rsp);
constexpr std::uint64_t kInitialRax = subject::kReport + offsetof(subject::Report, initial_rax);
constexpr std::uint64_t kInitialRcx = subject::kReport + offsetof(subject::Report, initial_rcx);
constexpr std::uint64_t kInitialRdx = subject::kReport + offsetof(subject::Report, initial_rdx);
constexpr std::uint64_t kNextRun = subject::kRequest + offsetof(subject::Request, next_run);

std::uint64_t value_of(const GeneralValues& general, GeneralRegister reg) {
  return general[static_cast<std::size_t>(reg)];
}

bool has(std::uint16_t set, GeneralRegister reg) { return set >> static_cast<int>(reg) & 1; }

}  // namespace

void KernelFrame::write_constants() {
  vector_constant_ = code_.address();
  for (int lane = 0; lane < 8; ++lane) code_.constant(state_.vector_word, 8);
  mxcsr_constant_ = code_.address();
  code_.constant(state_.mxcsr, 4);
  code_.align(kCacheLine);
}

void KernelFrame::write_setup(const GeneralValues& general, std::uint16_t fixed) {
  write_x87();
  code_.load_mxcsr(mxcsr_constant_);
  write_vectors();
  if (!state_.code.empty()) code_.set_flags_to_reset_values();
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    // RSP is loaded here only for the state's own code; for the copies it is loaded last.
    if (reg != kRsp || !state_.code.empty()) code_.move_immediate(reg, value_of(general, reg));
  }
  if (state_.code.empty()) return;
  code_.bytes(state_.code);
  code_.mfence();  // the code's stores must not drain during the copies
  code_.store(kRax, kInitialRax);
  code_.store(kRcx, kInitialRcx);
  code_.store(kRdx, kInitialRdx);
  code_.store(kRsp, kInitialRsp);
  code_.move_immediate(kRsp, subject::kStackTop);
  code_.set_flags_to_reset_values();
  for (int i = 0; i < kGeneralRegisters; ++i) {
    const auto reg = static_cast<GeneralRegister>(i);
    if (has(fixed, reg)) code_.move_immediate(reg, value_of(general, reg));
  }
}

void KernelFrame::write_start(bool rcx, const GeneralValues& general, std::uint16_t fixed) {
  code_.clear_arithmetic_flags();
  write_initial(kRax, kInitialRax, general, fixed);
  if (rcx) write_initial(kRcx, kInitialRcx, general, fixed);
  write_initial(kRdx, kInitialRdx, general, fixed);
}

void KernelFrame::write_stack_pointer(const GeneralValues& general, std::uint16_t fixed) {
  write_initial(kRsp, kInitialRsp, general, fixed);
}

/// Sets a register to what it is to hold at the first copy: what the state's own code left in it,
/// which is in `slot`, unless there is no such code or the register is one of `fixed`.
void KernelFrame::write_initial(GeneralRegister reg, std::uint64_t slot,
                                const GeneralValues& general, std::uint16_t fixed) {
  if (state_.code.empty() || has(fixed, reg)) {
    code_.move_immediate(reg, value_of(general, reg));
  } else {
    code_.load(reg, slot);
  }
}

/// fninit leaves the data registers as they are, and with them what MMX registers hold. To load
/// these would raise an exception that an earlier block left pending, and does not leave them
/// empty.
void KernelFrame::write_x87() {
  if (!uses_x87()) return;
  code_.reset_x87();
  for (int i = 0; i < 8; ++i) code_.load_mmx(i, vector_constant_);
  code_.reset_x87();
}

/// Loads vectors as wide as the block's own vector instructions and no wider: dirty upper halves
/// slow down legacy SSE code on Intel CPUs (Intel optimization manual, "Mixing AVX code with SSE
/// code").
void KernelFrame::write_vectors() {
  const int bits = block_.registers.widest_vex_vector;
  if (features().avx) code_.zero_upper_vectors();
  for (int i = 0; i < 16; ++i) {
    if (!block_.registers.uses_vector(i)) continue;
    if (!features().avx) {
      code_.load_xmm(i, vector_constant_);
    } else if (bits == 512 && features().avx512) {
      code_.load_zmm(i, vector_constant_, 512);
    } else {
      code_.load_ymm(i, vector_constant_, bits >= 256);
    }
  }
  if (!features().avx512) return;
  for (int i = 16; i < kVectorRegisters; ++i) {
    if (block_.registers.uses_vector(i)) code_.load_zmm(i, vector_constant_, bits);
  }
  // The masks are all ones, so that a masked instruction does all of its work.
  for (int mask = 0; mask < 8; ++mask) code_.set_mask_ones(mask);
}

void KernelFrame::write_restore() {
  // Neither this nor where it leads to is in memory that the block can write to.
  code_.move_immediate(kRsp, subject::kStackTop);
  code_.set_flags_to_reset_values();
  if (uses_x87()) code_.reset_x87();
  if (features().avx) {
    code_.zero_low_vectors();
  } else {
    for (int i = 0; i < 16; ++i) code_.zero_vector(i);
  }
  for (int i = 16; features().avx512 && i < kVectorRegisters; ++i) {
    const bool touched = block_.registers.uses_vector(i) || !state_.code.empty();
    if (touched) code_.zero_high_vector(i);
  }
  code_.jump_through(kNextRun);
}

}  // namespace assay
