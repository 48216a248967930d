#include "profiler/codegen/kernel.h"

#include <algorithm>
#include <array>

#include "profiler/codegen/copies.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/kernel_frame.h"
#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"

namespace assay {
namespace {

using enum GeneralRegister;

constexpr std::uint64_t kLine = 64;
constexpr std::uint64_t kStartTicks = subject::kControl + offsetof(subject::Control, start_ticks);
constexpr std::uint64_t kEndTicks = subject::kControl + offsetof(subject::Control, end_ticks);

// With room to spare.
constexpr std::size_t kEndBound = 512;     ///< constants, loop, second reading and restoring
constexpr std::size_t kEntryBound = 1024;  ///< one entry but for the state's own code

/// General registers that may count or keep while the copies run, the least used ones first. RSP is
/// left out so that it always holds an address; RAX and RDX receive the reading itself.
constexpr std::array kSpare = {kR15, kR14, kR13, kR12, kR11, kR10, kR9,
                               kR8,  kRbx, kRbp, kRdi, kRsi, kRcx};

enum class Form { kUnrolled, kLoop };

/// What the frame needs of registers that the block leaves alone.
struct SpareRegisters {
  std::optional<GeneralRegister> counter;  ///< of a loop
  std::optional<GeneralRegister> keeper;   ///< holds the first reading while the copies run
  int keeper_vector = -1;                  ///< instead, if there is no other
};

std::optional<GeneralRegister> find_spare(const RegisterUse& use,
                                          std::optional<GeneralRegister> taken) {
  const auto found = std::ranges::find_if(
      kSpare, [&](GeneralRegister reg) { return !use.uses(reg) && reg != taken; });
  if (found == kSpare.end()) return std::nullopt;
  return *found;
}

std::variant<SpareRegisters, Refusal> find_spare_registers(const Block& block, Form form) {
  const RegisterUse& use = block.registers;
  SpareRegisters spare;
  if (form == Form::kLoop) {
    spare.counter = find_spare(use, std::nullopt);
    for (const GeneralRegister reg : {kRax, kRdx}) {
      if (!spare.counter && !use.uses(reg)) spare.counter = reg;
    }
    if (!spare.counter) {
      return Refusal{Reason::kNoFreeRegister, "it uses every register that could count its turns",
                     block.instructions.size()};
    }
  }
  spare.keeper = find_spare(use, spare.counter);
  for (int i = 15; i >= 0 && spare.keeper_vector < 0; --i) {
    if (!use.uses_vector(i)) spare.keeper_vector = i;
  }
  if (spare.keeper || spare.keeper_vector >= 0) return spare;
  return Refusal{Reason::kNoFreeRegister, "it uses every general and every vector register",
                 block.instructions.size()};
}

class KernelWriter {
 public:
  KernelWriter(const Block& block, const CopyWriter& copies, const InitialState& state,
               std::uint64_t address, const SpareRegisters& spare)
      : block_(block),
        copies_(copies),
        state_(state),
        spare_(spare),
        code_(address),
        frame_(block, state, code_) {
    kernel_.start = address;
    kernel_.block_size = block.bytes.size();
  }

  Kernel unroll(std::span<const std::int64_t> sizes) {
    kernel_.copies = std::ranges::max(sizes);
    frame_.write_constants();
    kernel_.first_copy = code_.address();
    for (std::int64_t i = 0; i < kernel_.copies; ++i) copies_.write(code_);
    const std::uint64_t end = code_.address();
    write_end();
    for (const std::int64_t size : sizes) {
      write_entry(end - static_cast<std::uint64_t>(size) * kernel_.block_size, state_.general);
    }
    return finish();
  }

  Kernel loop(std::int64_t body_copies, std::span<const std::int64_t> sizes) {
    kernel_.copies = body_copies;
    frame_.write_constants();
    const std::uint64_t top = code_.address();
    block_.final_branch ? write_branching_loop(top) : write_counting_loop(top);
    write_end();
    for (const std::int64_t size : sizes) {
      GeneralValues general = state_.general;
      // The test in front of the copies has to fail once more than there are turns.
      general[static_cast<std::size_t>(*spare_.counter)] =
          static_cast<std::uint64_t>(size) + (block_.final_branch ? 1 : 0);
      write_entry(top, general);
    }
    return finish();
  }

 private:
  void write_counting_loop(std::uint64_t top) {
    kernel_.first_copy = top;
    for (std::int64_t i = 0; i < kernel_.copies; ++i) copies_.write(code_);
    code_.decrement(*spare_.counter);
    code_.jump_if_not_zero(top);
  }

  void write_branching_loop(std::uint64_t top) {
    code_.decrement(*spare_.counter);
    code_.jump_if_zero(top);  // patched below: out of the loop
    const std::uint64_t exit_field = code_.address() - 4;
    kernel_.first_copy = code_.address();
    for (std::int64_t i = 1; i < kernel_.copies; ++i) copies_.write(code_);
    copies_.write_closing(code_, top);
    code_.patch(exit_field, code_.address() - (exit_field + 4), 4);
  }

  /// All entries lie alike within a line: they take the same time. A size's own constant lies right
  /// in front of its entry.
  void write_entry(std::uint64_t body, const GeneralValues& general) {
    std::uint16_t fixed = 0;
    if (spare_.counter) fixed = static_cast<std::uint16_t>(1U << static_cast<int>(*spare_.counter));
    code_.align(kLine, kLine - 8);
    const std::uint64_t start_constant = code_.address();
    code_.constant(0, 8);  // patched below
    kernel_.entries.push_back(code_.address());
    frame_.write_setup(general, fixed);
    frame_.write_start(start_constant);
    code_.lfence();
    code_.rdtsc();
    if (spare_.keeper) {
      code_.move_low_half(*spare_.keeper, kRax);
    } else {
      code_.move_eax_to_vector(spare_.keeper_vector, features().avx);
    }
    frame_.write_rax_and_rdx(general, fixed);
    code_.lfence();
    code_.iretq();
    // Not to the body itself: a core that serialises goes on with its decoders, and returns to its
    // micro-op cache only behind a taken branch (Zen 4: straight-line code ran at 4 instructions a
    // cycle without this jump, at 6 with it).
    code_.patch(start_constant, code_.address(), 8);
    code_.jump(body);
  }

  void write_end() {
    code_.lfence();
    code_.rdtsc();
    code_.lfence();
    code_.store_low_half(kRax, kEndTicks);
    if (spare_.keeper) {
      code_.store_low_half(*spare_.keeper, kStartTicks);
    } else {
      code_.store_low_half_of_vector(spare_.keeper_vector, kStartTicks, features().avx);
    }
    frame_.write_restore();
  }

  Kernel finish() {
    kernel_.code = std::move(code_).take();
    return std::move(kernel_);
  }

  const Block& block_;
  const CopyWriter& copies_;
  const InitialState& state_;
  SpareRegisters spare_;
  Emitter code_;
  KernelFrame frame_;
  Kernel kernel_;
};

std::variant<Kernel, Refusal> write_kernel(const Block& block, Form form, std::int64_t copies,
                                           std::span<const std::int64_t> sizes,
                                           const InitialState& state, std::uint64_t address) {
  const auto spare = find_spare_registers(block, form);
  if (const auto* refusal = std::get_if<Refusal>(&spare)) return *refusal;
  const std::size_t bound = kernel_size_bound(block, copies, sizes.size(), state);
  const auto writer = CopyWriter::make(block, address, address + bound);
  if (const auto* refusal = std::get_if<Refusal>(&writer)) return *refusal;
  KernelWriter kernel(block, std::get<CopyWriter>(writer), state, address,
                      std::get<SpareRegisters>(spare));
  return form == Form::kLoop ? kernel.loop(copies, sizes) : kernel.unroll(sizes);
}

}  // namespace

std::optional<Kernel::Place> Kernel::locate(std::uint64_t address) const {
  if (address < first_copy || block_size == 0) return std::nullopt;
  const std::uint64_t distance = address - first_copy;
  const auto copy = static_cast<std::int64_t>(distance / block_size);
  if (copy >= copies) return std::nullopt;
  return Place{copy, static_cast<std::size_t>(distance % block_size)};
}

std::size_t kernel_size_bound(const Block& block, std::int64_t copies, std::size_t sizes,
                              const InitialState& state) {
  return kEndBound + block.bytes.size() * static_cast<std::size_t>(copies) +
         sizes * (kEntryBound + state.code.size());
}

std::variant<Kernel, Refusal> unroll(const Block& block, std::span<const std::int64_t> sizes,
                                     const InitialState& state, std::uint64_t address) {
  return write_kernel(block, Form::kUnrolled, std::ranges::max(sizes), sizes, state, address);
}

std::variant<Kernel, Refusal> loop(const Block& block, std::int64_t body_copies,
                                   std::span<const std::int64_t> sizes, const InitialState& state,
                                   std::uint64_t address) {
  return write_kernel(block, Form::kLoop, body_copies, sizes, state, address);
}

}  // namespace assay
