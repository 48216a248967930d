#include "profiler/codegen/kernel.h"

#include <algorithm>
#include <cstring>

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
constexpr std::size_t kEndBound = 512;     ///< constants, loop, last reading and restoring
constexpr std::size_t kEntryBound = 1024;  ///< one entry without the state's own code

enum class Form { kUnrolled, kLoop };

class KernelWriter {
 public:
  KernelWriter(const Block& block, const CopyWriter& copies, const InitialState& state,
               std::uint64_t address, const SpareRegisters& spare, const Reads& reads)
      : block_(block),
        copies_(copies),
        state_(state),
        spare_(spare),
        code_(address),
        frame_(block, state, code_),
        reads_(reads),
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
    write_end();
    for (const Iterations size : sizes) {
      write_entry(end - static_cast<std::uint64_t>(size.count()) * kernel_.block_size,
                  state_.general);
    }
    return finish();
  }

  Kernel loop(Copies body, std::span<const Iterations> sizes) {
    kernel_.copies = body.count();
    frame_.write_constants();
    const std::uint64_t top = code_.address();
    block_.final_branch ? write_branching_loop(top) : write_counting_loop(top);
    const std::uint64_t end = code_.address();
    write_end();
    for (const Iterations size : sizes) {
      GeneralValues general = state_.general;
      // The DEC in front of the copies runs once more than the loop iterates: then it reaches 0.
      general[static_cast<std::size_t>(*spare_.counter)] =
          static_cast<std::uint64_t>(size.count()) + (block_.final_branch ? 1 : 0);
      write_entry(size == Iterations(0) ? end : top, general);
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
    code_.jump_if_zero(top);  // leaves the loop: its target is patched below
    const std::uint64_t exit_field = code_.address() - 4;
    kernel_.first_copy = code_.address();
    for (std::int64_t i = 1; i < kernel_.copies; ++i) copies_.write(code_);
    copies_.write_closing(code_, top);
    code_.patch(exit_field, code_.address() - (exit_field + 4), 4);
  }

  /// Writes the entry for one size. All entries have the same alignment within a line, so that they
  /// take the same time.
  void write_entry(std::uint64_t body, const GeneralValues& general) {
    std::uint16_t fixed = 0;
    if (spare_.counter) fixed = static_cast<std::uint16_t>(1U << static_cast<int>(*spare_.counter));
    if (features().code_segment != 0) {
      // One that crosses the end of a cache line is read more slowly. Kernels are moved by 24 bytes
      // against the lines at most.
      code_.align(kCacheLine);
      far_address_ = code_.address();
      code_.pointer(body);
      code_.constant(features().code_segment, 2);
    }
    code_.align(kCacheLine);
    kernel_.entries.push_back(code_.address());
    frame_.write_setup(general, fixed);
    readings_.write_first();
    frame_.write_start(reads_.use_rcx(), general, fixed);
    code_.lfence();
    write_jump(body);
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
  /// block then differ by up to 40 cycles more than their copies take (Zen 5). Behind a single jump
  /// that LFENCE alone precedes, the time grows evenly from the first copy on.
  void write_jump(std::uint64_t body) {
    features().code_segment != 0 ? code_.far_jump(far_address_) : code_.jump(body);
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
  ReadingWriter readings_;
  Kernel kernel_;
  std::uint64_t far_address_ = 0;  ///< of the far pointer to the body of the entry being written
};

std::variant<Kernel, Outcome> write_kernel(const Block& block, Form form, Copies body,
                                           std::span<const Iterations> sizes,
                                           const InitialState& state, std::uint64_t address,
                                           const Reads& reads) {
  if (reads.counters.size() > subject::kMaxCounters)
    throw Error("a kernel that reads too many counters");
  const auto spare = find_spare_registers(
      block,
      {.loop = form == Form::kLoop, .readings = reads.results(), .use_rcx = reads.use_rcx()});
  if (const auto* refusal = std::get_if<Outcome>(&spare)) return *refusal;
  // The kernel may be moved to any address in the code area, so targets must be in reach of all.
  const auto writer = CopyWriter::make(block, subject::kCode, subject::kCode + subject::kCodeSize);
  if (const auto* refusal = std::get_if<Outcome>(&writer)) return *refusal;
  KernelWriter kernel(block, std::get<CopyWriter>(writer), state, address,
                      std::get<SpareRegisters>(spare), reads);
  return form == Form::kLoop ? kernel.loop(body, sizes) : kernel.unroll(sizes);
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
                                     const Reads& reads) {
  return write_kernel(block, Form::kUnrolled, Copies(1), sizes, state, address, reads);
}

std::variant<Kernel, Outcome> loop(const Block& block, Copies body,
                                   std::span<const Iterations> sizes, const InitialState& state,
                                   std::uint64_t address, const Reads& reads) {
  return write_kernel(block, Form::kLoop, body, sizes, state, address, reads);
}

}  // namespace assay
