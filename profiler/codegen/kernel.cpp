#include "profiler/codegen/kernel.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>

#include "profiler/block/loop_condition.h"
#include "profiler/codegen/copies.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/kernel_frame.h"
#include "profiler/codegen/readings.h"
#include "profiler/codegen/spare_registers.h"
#include "profiler/machine/features.h"
#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

// Generous upper bounds of the sizes of code, in bytes.
constexpr std::size_t kEndBound = 640;     ///< constants, loop, last reading and restoring
constexpr std::size_t kEntryBound = 1024;  ///< one entry without the state's own code

/// So many NOPs that take Kernel::kLeadBytes together.
Bytes lead_of(std::size_t instructions) {
  const std::span<const std::uint8_t> longest =
      recommended_nop(Kernel::kLeadBytes + 1 - instructions);
  Bytes lead(instructions - 1, recommended_nop(1).front());
  lead.insert(lead.end(), longest.begin(), longest.end());
  return lead;
}

enum class Form { kUnrolled, kLoop, kCountedTurns };

bool has_counter(Form form, const LoopShape& shape) {
  return form == Form::kCountedTurns || (form == Form::kLoop && shape.end != LoopEnd::kOwn);
}

class KernelWriter {
 public:
  KernelWriter(const Block& block, const CopyWriter& copies, const InitialState& state,
               std::uint64_t address, const SpareRegisters& spare, const Reads& reads,
               bool holds_stores)
      : block_(block),
        copies_(copies),
        state_(state),
        spare_(spare),
        code_(address),
        frame_(block, state, code_),
        reads_(reads),
        holds_stores_(holds_stores),
        readings_(reads, spare_.keepers, code_) {
    kernel_.start = address;
    kernel_.counts = spare_.keepers.size();
    kernel_.block_size = block.bytes.size();
  }

  Kernel unroll(std::span<const Iterations> sizes) {
    kernel_.copies = std::ranges::max(sizes).count();
    frame_.write_constants();
    kernel_.first_copy = code_.address();
    for (std::int64_t i = 0; i < kernel_.copies; ++i) copies_.write(code_);
    const std::uint64_t end = code_.address();
    kernel_.end = end;
    write_end();
    for (const Iterations size : sizes) {
      write_entry(end - static_cast<std::uint64_t>(size.count()) * kernel_.block_size,
                  state_.general);
    }
    return finish();
  }

  Kernel loop(Copies body, std::span<const Iterations> sizes, const LoopShape& shape) {
    kernel_.copies = body.count();
    frame_.write_constants();
    code_.align(kCacheLine, static_cast<std::uint64_t>(shape.alignment));
    const std::uint64_t top = code_.address();
    write_loop(top, shape.end);
    const std::uint64_t end = code_.address();
    write_end();
    for (const Iterations size : sizes) write_loop_entry(size, top, end, shape);
    return finish();
  }

  Kernel loop_that_counts(std::span<const Iterations> sizes, const LoopShape& shape) {
    kernel_.copies = 1;
    kernel_.counts = 1;
    frame_.write_constants();
    const std::uint64_t top = code_.address();
    kernel_.first_copy = top;
    for (std::size_t i = 0; i + 1 < block_.instructions.size(); ++i) {
      copies_.write_instruction(code_, i);
    }
    code_.increment(*spare_.counter);
    write_own_branch(top);
    code_.store_low_half(*spare_.counter, subject::kReport + offsetof(subject::Report, counts));
    frame_.write_restore();
    for (const Iterations size : sizes) {
      GeneralValues general = state_.general;
      general[static_cast<std::size_t>(*spare_.counter)] = 0;
      const auto fixed =
          static_cast<std::uint16_t>(bit(*spare_.counter) | set_bound(size, shape, general));
      code_.align(kCacheLine);
      kernel_.entries.push_back(code_.address());
      write_sentinel(size, shape);
      frame_.write_setup(general, fixed);
      frame_.write_start(reads_.use_rcx(), general, fixed);
      frame_.write_stack_pointer(general, fixed);
      code_.jump(top);
    }
    return finish();
  }

 private:
  static std::uint16_t bit(GeneralRegister reg) {
    return static_cast<std::uint16_t>(1U << static_cast<int>(reg));
  }

  void write_loop(std::uint64_t top, LoopEnd end) {
    if (end == LoopEnd::kOwn) {
      write_own_loop(top);
    } else if (end == LoopEnd::kReplaced) {
      write_replaced_loop(top);
    } else {
      block_.final_branch ? write_branching_loop(top) : write_counting_loop(top);
    }
  }

  void write_own_loop(std::uint64_t top) {
    kernel_.first_copy = top;
    for (std::size_t i = 0; i + 1 < block_.instructions.size(); ++i) {
      copies_.write_instruction(code_, i);
    }
    write_own_branch(top);
  }

  void write_own_branch(std::uint64_t top) {
    if (!copies_.write_branch(code_, top)) throw Error("a loop whose own branch does not reach");
  }

  void write_replaced_loop(std::uint64_t top) {
    kernel_.first_copy = top;
    const auto condition = loop_condition(block_);
    const std::size_t kept =
        block_.instructions.size() - (condition && condition->only_compares ? 2 : 1);
    for (std::size_t i = 0; i < kept; ++i) copies_.write_instruction(code_, i);
    code_.decrement(*spare_.counter);
    code_.jump_if_not_zero(top);
  }

  void write_counting_loop(std::uint64_t top) {
    kernel_.first_copy = top;
    for (std::int64_t i = 0; i < kernel_.copies; ++i) copies_.write(code_);
    code_.decrement(*spare_.counter);
    code_.jump_if_not_zero(top);
  }

  void write_branching_loop(std::uint64_t top) {
    code_.decrement(*spare_.counter);
    code_.jump_if_zero(top);  // leaves the loop: its target is patched below
    const std::uint64_t exit_field = code_.address() - 4;
    kernel_.first_copy = code_.address();
    for (std::int64_t i = 1; i < kernel_.copies; ++i) copies_.write(code_);
    copies_.write_closing(code_, top);
    code_.patch(exit_field, code_.address() - (exit_field + 4), 4);
  }

  /// Writes the entry of a loop for one size: as many turns are made as the register says that
  /// bounds it.
  void write_loop_entry(Iterations size, std::uint64_t top, std::uint64_t end,
                        const LoopShape& shape) {
    GeneralValues general = state_.general;
    if (size == Iterations(0)) {
      write_entry(end, general);
      return;
    }
    if (shape.end == LoopEnd::kOwn) {
      const std::uint16_t fixed = set_bound(size, shape, general);
      write_entry(top, general, fixed, [&] { write_sentinel(size, shape); });
      return;
    }
    // The DEC in front of the copies runs once more than the loop iterates: then it reaches 0.
    const bool in_front = shape.end == LoopEnd::kAdded && block_.final_branch;
    const GeneralRegister reg = spare_.counter.value();
    general[static_cast<std::size_t>(reg)] =
        static_cast<std::uint64_t>(size.count()) + (in_front ? 1 : 0);
    write_entry(top, general, bit(reg));
  }

  /// Sets the register that bounds the loop, if one does. Returns it as a set.
  static std::uint16_t set_bound(Iterations size, const LoopShape& shape, GeneralValues& general) {
    if (!shape.bound) return 0;
    general[static_cast<std::size_t>(shape.bound->reg)] = shape.bound->value(size);
    return bit(shape.bound->reg);
  }

  /// Stores the sentinel, if there is one, through registers that a call need not preserve.
  void write_sentinel(Iterations size, const LoopShape& shape) {
    if (!shape.sentinel) return;
    code_.move_immediate(GeneralRegister::kRax, shape.sentinel->address(size));
    code_.move_immediate(GeneralRegister::kRcx, shape.sentinel->value);
    code_.store_rcx_at_rax(shape.sentinel->size);
    code_.mfence();  // it leaves the store buffer now, not during the copies
  }

  /// Writes the entry for one size. All entries have the same alignment within a line, so that they
  /// take the same time. The registers in `fixed` are set behind the state's own code; what
  /// `write_before` writes comes first.
  void write_entry(
      std::uint64_t body, const GeneralValues& general, std::uint16_t fixed = 0,
      const std::function<void()>& write_before = [] {}) {
    const bool is_far = features().code_segment != 0;
    if (is_far || features().returns_drain) {
      // One that crosses the end of a cache line is read more slowly. Kernels are moved by 24 bytes
      // against the lines at most.
      code_.align(kCacheLine);
      pointer_ = code_.address();
      code_.pointer(body);
      if (holds_stores_) code_.pointer(code_.address());
      if (is_far) code_.constant(features().code_segment, 2);
    }
    code_.align(kCacheLine);
    kernel_.entries.push_back(code_.address());
    write_before();
    frame_.write_setup(general, fixed);
    readings_.write_first();
    frame_.write_start(reads_.use_rcx(), general, fixed);
    if (features().returns_drain) {
      write_return();
      frame_.write_stack_pointer(general, fixed);
    } else {
      frame_.write_stack_pointer(general, fixed);
      code_.lfence();
    }
    write_jump(body);
  }

  /// Leads to what stands behind it by a RET. The core foretells it to lead back behind the CALL
  /// that led to the kernel, so that its front end begins anew each time.
  void write_return() {
    const std::uint64_t address = pointer_;
    code_.move_pointer(GeneralRegister::kRsp, address);
    code_.lfence();
    code_.ret();
    code_.patch(address, code_.address(), sizeof(address));
    if (holds_stores_) write_chain();
  }

  /// Loads RSP, again and again, from where it points to then: to itself. A load takes four cycles,
  /// and changes nothing else.
  void write_chain() {
    constexpr int kLoads = 24;
    for (int i = 0; i < kLoads; ++i) code_.load_stack_pointer_from_itself();
  }

  /// Leads from the LFENCE to the copies. The fence keeps them from executing before all that
  /// stands in front of it has ended. It does not keep the front end from fetching them, which
  /// fills its queues.
  ///
  /// Intel's cores go through a full queue of micro-ops for up to a thousand instructions, while
  /// copies are fed more slowly than they execute; and straight-line code comes from the micro-op
  /// cache at one moment, as long as it is short, and from the decoders at another, which always
  /// feed long code (Granite Rapids: 0.50 or 0.66 cycles a copy). Behind a far JMP, which drains
  /// the front end, the decoders feed it from the first copy on, and the time grows evenly.
  ///
  /// On AMD's cores, what drains the front end, such as IRETQ, is followed by the decoders until
  /// some branches were taken (Zen 4 one, Zen 5 two), and where several direct jumps follow it,
  /// they are foretold at one entry and not at another, for as long as a process lives: sizes of a
  /// block then differ by up to 40 cycles more than their copies take (Zen 5). A RET that is
  /// foretold wrongly at each entry (write_return) leaves a Zen 5 with its micro-op cache;
  /// elsewhere LFENCE alone precedes the jump, and as much is queued at each size.
  void write_jump(std::uint64_t body) {
    if (features().code_segment != 0) {
      code_.far_jump(pointer_);
      return;
    }
    code_.bytes(lead_of(1));
    code_.jump(body);
    kernel_.jumps.push_back(static_cast<std::uint32_t>(code_.size() - sizeof(std::uint32_t)));
  }

  void write_end() {
    readings_.write_second();
    frame_.write_restore();
  }

  Kernel finish() {
    kernel_.distances = std::move(code_).take_outward();
    kernel_.pointers = std::move(code_).take_pointers();
    kernel_.code = std::move(code_).take();
    return std::move(kernel_);
  }

  const Block& block_;
  const CopyWriter& copies_;
  const InitialState& state_;
  SpareRegisters spare_;
  Emitter code_;
  KernelFrame frame_;
  Reads reads_;
  bool holds_stores_;
  ReadingWriter readings_;
  Kernel kernel_;
  /// The address of the pointer that the entry being written has: a far one to the body, or one to
  /// what follows the RET.
  std::uint64_t pointer_ = 0;
};

std::variant<Kernel, Outcome> write_kernel(const Block& block, Form form, Copies body,
                                           std::span<const Iterations> sizes,
                                           const InitialState& state, std::uint64_t address,
                                           const Reads& reads, const LoopShape& shape = {},
                                           bool holds_stores = false) {
  if (reads.counters.size() > subject::kMaxCounters)
    throw Error("a kernel that reads too many counters");
  const auto spare = find_spare_registers(
      block,
      {.loop = has_counter(form, shape), .readings = reads.results(), .use_rcx = reads.use_rcx()});
  if (const auto* refusal = std::get_if<Outcome>(&spare)) return *refusal;
  // The kernel may be moved to any address in the code area, so targets must be in reach of all.
  const auto writer = CopyWriter::make(block, subject::kCode, subject::kCode + subject::kCodeSize);
  if (const auto* refusal = std::get_if<Outcome>(&writer)) return *refusal;
  KernelWriter kernel(block, std::get<CopyWriter>(writer), state, address,
                      std::get<SpareRegisters>(spare), reads, holds_stores);
  switch (form) {
    case Form::kUnrolled:
      return kernel.unroll(sizes);
    case Form::kLoop:
      return kernel.loop(body, sizes, shape);
    case Form::kCountedTurns:
      return kernel.loop_that_counts(sizes, shape);
  }
  throw Error("a kernel of a form outside its enumeration");
}

}  // namespace

Kernel Kernel::moved_to(std::uint64_t address) const {
  Kernel moved = *this;
  moved.move_to(address);
  return moved;
}

void Kernel::move_to(std::uint64_t address) {
  const std::uint64_t distance = address - start;
  // What lies outside the code stays where it is: it comes nearer by as much as the code moves.
  for (const std::uint32_t offset : distances) {
    std::uint32_t field = 0;
    std::memcpy(&field, code.data() + offset, sizeof(field));
    field -= static_cast<std::uint32_t>(distance);
    std::memcpy(code.data() + offset, &field, sizeof(field));
  }
  for (const std::uint32_t offset : pointers) {
    std::uint64_t field = 0;
    std::memcpy(&field, code.data() + offset, sizeof(field));
    field += distance;
    std::memcpy(code.data() + offset, &field, sizeof(field));
  }
  for (std::uint64_t& entry : entries) entry += distance;
  start = address;
  first_copy += distance;
  end += distance;
}

void Kernel::set_size(std::size_t size, Iterations count) {
  if (count.count() > copies) throw Error("a size of more copies than a kernel has");
  const std::uint64_t target = end - static_cast<std::uint64_t>(count.count()) * block_size;
  const std::uint32_t offset = jumps.at(size);
  const auto field = static_cast<std::uint32_t>(target - (start + offset + sizeof(std::uint32_t)));
  std::memcpy(code.data() + offset, &field, sizeof(field));
}

void Kernel::set_lead(std::size_t instructions) {
  if (instructions < 1 || instructions > kLeadBytes)
    throw Error("a lead of no NOPs, or of too many");
  constexpr std::size_t kOpcode = 1;
  const Bytes lead = lead_of(instructions);
  for (const std::uint32_t jump : jumps) {
    std::ranges::copy(lead, code.begin() + jump - kOpcode - kLeadBytes);
  }
}

std::optional<Kernel::Location> Kernel::locate(std::uint64_t address) const {
  if (address < first_copy || block_size == 0) return std::nullopt;
  const std::uint64_t distance = address - first_copy;
  const auto copy = static_cast<std::int64_t>(distance / block_size);
  if (copy >= copies) return std::nullopt;
  return Location{copy, static_cast<std::size_t>(distance % block_size)};
}

std::size_t kernel_size_bound(const Block& block, Copies copies, std::size_t sizes,
                              const InitialState& state, const Reads& reads) {
  const std::size_t entry = kEntryBound + state.code.size() + ReadingWriter::first_bound(reads);
  return kEndBound + ReadingWriter::second_bound(reads) +
         block.bytes.size() * static_cast<std::size_t>(copies.count()) + sizes * entry;
}

std::variant<Kernel, Outcome> unroll(const Block& block, std::span<const Iterations> sizes,
                                     const InitialState& state, std::uint64_t address,
                                     const Reads& reads, bool holds_stores) {
  return write_kernel(block, Form::kUnrolled, Copies(1), sizes, state, address, reads, {},
                      holds_stores && features().returns_drain);
}

std::variant<Kernel, Outcome> loop(const Block& block, Copies body,
                                   std::span<const Iterations> sizes, const InitialState& state,
                                   std::uint64_t address, const Reads& reads,
                                   const LoopShape& shape) {
  return write_kernel(block, Form::kLoop, body, sizes, state, address, reads, shape);
}

std::variant<Kernel, Outcome> loop_that_counts(const Block& block,
                                               std::span<const Iterations> sizes,
                                               const InitialState& state, std::uint64_t address,
                                               const LoopShape& shape) {
  return write_kernel(block, Form::kCountedTurns, Copies(1), sizes, state, address, {}, shape);
}

}  // namespace assay
