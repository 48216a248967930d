#include "profiler/codegen/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "profiler/codegen/emitter.h"
#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kSavedRsp = subject::kControl + offsetof(subject::Control, saved_rsp);
constexpr std::uint64_t kStartTicks = subject::kControl + offsetof(subject::Control, start_ticks);
constexpr std::uint64_t kEndTicks = subject::kControl + offsetof(subject::Control, end_ticks);

/// Everything but copies: constants, set-up, readings and restoring, with room to spare.
constexpr std::size_t kFrameBound = 1536;

/// The register that holds the first reading while the copies run: one that the block leaves alone.
struct Keeper {
  std::optional<GeneralRegister> general;
  int vector = -1;
};

std::optional<Keeper> find_keeper(const RegisterUse& use) {
  // RAX and RDX receive the reading itself; RSP is left out so that it always holds an address.
  static constexpr std::array kCandidates = {kR15, kR14, kR13, kR12, kR11, kR10, kR9,
                                             kR8,  kRbx, kRbp, kRdi, kRsi, kRcx};
  for (const GeneralRegister reg : kCandidates) {
    if (!use.uses(reg)) return Keeper{reg, -1};
  }
  for (int i = 15; i >= 0; --i) {
    if (!use.uses_vector(i)) return Keeper{std::nullopt, i};
  }
  return std::nullopt;
}

class KernelWriter {
 public:
  KernelWriter(const Block& block, const InitialState& state, std::uint64_t address, Keeper keeper)
      : block_(block), state_(state), keeper_(keeper), vector_constant_(address), code_(address) {}

  Kernel write(std::int64_t copies, std::uint64_t rip_base) {
    write_constants();
    Kernel kernel;
    kernel.start = vector_constant_;
    kernel.entry = code_.address();
    write_setup();
    kernel.first_copy = code_.address();
    kernel.copies = copies;
    kernel.block_size = block_.bytes.size();
    for (std::int64_t i = 0; i < copies; ++i) write_copy(rip_base);
    write_end();
    kernel.code = std::move(code_).take();
    return kernel;
  }

 private:
  /// In front of the entry, as text: 64 bytes for vector registers, then MXCSR.
  void write_constants() {
    for (int lane = 0; lane < 8; ++lane) word(state_.vector_word, 8);
    mxcsr_constant_ = code_.address();
    word(state_.mxcsr, 4);
    code_.align(kLine);
  }

  void word(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) code_.bytes({static_cast<std::uint8_t>(value >> (8 * i))});
  }

  void write_setup() {
    for (const GeneralRegister reg : {kRbx, kRbp, kR12, kR13, kR14, kR15}) code_.push(reg);
    code_.store_rsp(kSavedRsp);
    // A block that leaves the x87 alone finds it as every other block's end left it: empty.
    if (block_.registers.x87) code_.reset_x87();
    code_.load_mxcsr(mxcsr_constant_);
    write_vectors();
    code_.set_flags_to_reset_values();
    for (int i = 0; i < kGeneralRegisters; ++i) {
      code_.move_immediate(static_cast<GeneralRegister>(i), state_.general[i]);
    }
    // The reading is generated at a place chosen so that what follows it ends on a line's end.
    Emitter trial(code_.address());
    write_first_reading(trial);
    code_.align(kLine, (kLine - trial.size() % kLine) % kLine);
    write_first_reading(code_);
  }

  void write_first_reading(Emitter& code) const {
    code.lfence();
    code.rdtsc();
    if (keeper_.general) {
      code.move_low_half(*keeper_.general, kRax);
    } else {
      code.move_eax_to_vector(keeper_.vector, features().avx);
    }
    code.move_immediate(kRax, state_.general[static_cast<int>(kRax)]);
    code.move_immediate(kRdx, state_.general[static_cast<int>(kRdx)]);
    code.lfence();
  }

  /// As wide as the block's own vector instructions and no wider: dirty upper halves slow down
  /// legacy SSE code on Intel CPUs (Intel optimization manual, "Mixing AVX code with SSE code").
  void write_vectors() {
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
    // All ones, so that a masked instruction does all of its work.
    for (int mask = 0; mask < 8; ++mask) code_.set_mask_ones(mask);
  }

  void write_copy(std::uint64_t rip_base) {
    const std::uint64_t start = code_.address();
    Bytes copy = block_.bytes;
    for (const RipRelativeOperand& operand : block_.rip_relative) {
      const std::uint64_t target = rip_base + static_cast<std::uint64_t>(operand.target());
      patch(copy, operand.displacement_offset, target - (start + operand.next_instruction), 4);
    }
    if (const auto& branch = block_.final_branch) {
      patch(copy, branch->displacement_offset, 0, branch->displacement_size);
    }
    code_.bytes(copy);
  }

  static void patch(Bytes& code, std::size_t offset, std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      code[offset + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

  void write_end() {
    code_.lfence();
    code_.rdtsc();
    code_.lfence();
    code_.store_low_half(kRax, kEndTicks);
    if (keeper_.general) {
      code_.store_low_half(*keeper_.general, kStartTicks);
    } else {
      code_.store_low_half_of_vector(keeper_.vector, kStartTicks, features().avx);
    }
    code_.load_rsp(kSavedRsp);
    code_.set_flags_to_reset_values();
    if (block_.registers.x87) code_.reset_x87();
    if (features().avx) code_.zero_upper_vectors();
    for (const GeneralRegister reg : {kR15, kR14, kR13, kR12, kRbp, kRbx}) code_.pop(reg);
    code_.ret();
  }

  const Block& block_;
  const InitialState& state_;
  Keeper keeper_;
  std::uint64_t vector_constant_;
  std::uint64_t mxcsr_constant_ = 0;
  Emitter code_;
};

/// The shift of the base under which most RIP-relative accesses are aligned to their size.
std::uint64_t best_shift(const Block& block) {
  const auto aligned = [&](std::uint64_t shift) {
    return std::ranges::count_if(block.rip_relative, [&](const RipRelativeOperand& operand) {
      const auto place = shift + static_cast<std::uint64_t>(operand.target());
      return operand.size > 0 && place % static_cast<std::uint64_t>(operand.size) == 0;
    });
  };
  std::uint64_t best = 0;
  for (std::uint64_t shift = 1; shift < kLine; ++shift) {
    if (aligned(shift) > aligned(best)) best = shift;
  }
  return best;
}

/// Why an operand cannot be reached from the whole of [first, last) in the code area.
std::optional<Refusal> out_of_reach(const Block& block, std::uint64_t rip_base, std::uint64_t first,
                                    std::uint64_t last) {
  const auto reachable = [](std::uint64_t target, std::uint64_t from) {
    const auto distance = static_cast<std::int64_t>(target - from);
    return distance == static_cast<std::int32_t>(distance);
  };
  for (const RipRelativeOperand& operand : block.rip_relative) {
    const std::uint64_t target = rip_base + static_cast<std::uint64_t>(operand.target());
    const auto size = static_cast<std::uint64_t>(operand.size);
    const bool own = target + size > subject::kBase && target < subject::kBase + subject::kSpan;
    if (!own && reachable(target, first) && reachable(target, last)) continue;
    return Refusal{Reason::kRipRelativeRange,
                   fmt::format("displacement {:#x} in the instruction before offset {}",
                               operand.displacement, operand.next_instruction),
                   block.instructions.size()};
  }
  return std::nullopt;
}

/// Whether some eight bytes of the block, an immediate or an address as far as anyone can tell, are
/// an address of assay's own memory in the subject.
bool names_own_memory(const Block& block) {
  std::uint64_t window = 0;
  for (std::size_t i = 0; i < block.bytes.size(); ++i) {
    window = window >> 8 | static_cast<std::uint64_t>(block.bytes[i]) << 56;
    if (i >= 7 && subject::is_own_address(window)) return true;
  }
  return false;
}

}  // namespace

std::optional<Kernel::Place> Kernel::locate(std::uint64_t address) const {
  if (address < first_copy || block_size == 0) return std::nullopt;
  const std::uint64_t distance = address - first_copy;
  const auto copy = static_cast<std::int64_t>(distance / block_size);
  if (copy >= copies) return std::nullopt;
  return Place{copy, static_cast<std::size_t>(distance % block_size)};
}

std::size_t kernel_size_bound(std::size_t block_size, std::int64_t copies) {
  return kFrameBound + block_size * static_cast<std::size_t>(copies);
}

std::variant<Kernel, Refusal> unroll(const Block& block, std::int64_t copies,
                                     const InitialState& state, std::uint64_t address) {
  const auto keeper = find_keeper(block.registers);
  if (!keeper) {
    return Refusal{Reason::kNoFreeRegister, "it uses every general and every vector register",
                   block.instructions.size()};
  }
  if (names_own_memory(block)) {
    return Refusal{Reason::kSubjectMemory, "it holds such an address", block.instructions.size()};
  }
  const std::uint64_t rip_base = subject::kRipBase + best_shift(block);
  const std::uint64_t end = address + kernel_size_bound(block.bytes.size(), copies);
  if (auto refusal = out_of_reach(block, rip_base, address, end)) return *refusal;
  return KernelWriter(block, state, address, *keeper).write(copies, rip_base);
}

}  // namespace assay
