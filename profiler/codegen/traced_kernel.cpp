#include "profiler/codegen/traced_kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "profiler/codegen/copies.h"
#include "profiler/codegen/emitter.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel_frame.h"
#include "profiler/subject/layout.h"
#include "profiler/support/cache_line.h"

namespace assay {
namespace {

constexpr std::uint64_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kFrameBound = 3072;  ///< all code but the copies and the state's own code
constexpr std::size_t kStoreBound = 10;    ///< one store to the trace area; EVEX stores are longest
constexpr std::size_t kStatusBound = 16;   ///< the two stores of a copy's status

constexpr std::int64_t kMostCopies = 16;
constexpr std::int64_t kFewestCopies = 4;
constexpr std::int64_t kFewestX87Copies = 9;  ///< one more than the stack has registers
/// How many instructions the copies aim at: about as many as are timed.
constexpr std::size_t kInstructions = 512;

// Fields of MXCSR.
constexpr std::uint32_t kRounding = 0x6000;
constexpr std::uint32_t kStickyFlags = 0x3f;

Copies number_of_copies(const Block& block, const TraceLayout& layout,
                        std::optional<Copies> wanted) {
  const std::int64_t fewest = block.registers.x87 ? kFewestX87Copies : kFewestCopies;
  const auto aim = static_cast<std::int64_t>(kInstructions / block.instructions.size());
  const auto room = static_cast<std::int64_t>(subject::kTraceSize / kWord / layout.words_per_copy);
  const std::int64_t usual = std::clamp(aim, fewest, kMostCopies);
  return Copies(std::min(wanted ? wanted->count() : usual, room));
}

class TraceWriter {
 public:
  TraceWriter(const Block& block, const CopyWriter& copies, const InitialState& state,
              TracedKernel& kernel)
      : block_(block),
        copies_(copies),
        state_(state),
        kernel_(kernel),
        code_(kernel.start),
        frame_(block, state, code_) {}

  void write() {
    kernel_.home = copies_.home();
    frame_.write_constants();
    kernel_.entry = write_entry(state_.mxcsr & ~kStickyFlags);
    code_.align(kCacheLine);
    kernel_.first_copy = code_.address();
    for (std::int64_t copy = 0; copy < kernel_.copies.count(); ++copy) write_copy(copy);
    frame_.write_restore();
    if (subnormals_may_hide()) {
      kernel_.subnormal_entry = write_entry((state_.mxcsr & kRounding) | kAllMasked);
      code_.jump(kernel_.first_copy);
    }
    kernel_.code = std::move(code_).take();
  }

 private:
  bool subnormals_may_hide() const {
    const bool ftz_or_daz = (state_.mxcsr & (kFlushToZero | kDenormalsAreZero)) != 0;
    return ftz_or_daz && block_.registers.vector != 0;
  }

  /// Writes an entry up to the copies. Returns its address.
  std::uint64_t write_entry(std::uint32_t mxcsr) {
    const std::uint64_t mxcsr_constant = code_.address();
    code_.constant(mxcsr, 4);
    code_.align(kCacheLine);
    const std::uint64_t entry = code_.address();
    frame_.write_setup(state_.general);
    // These follow the state's own code, which may have raised the flags that are looked for in the
    // block.
    code_.load_mxcsr(mxcsr_constant);
    if (block_.registers.x87) code_.clear_x87_exceptions();
    frame_.write_start(false, state_.general);
    frame_.write_stack_pointer(state_.general);
    return entry;
  }

  void write_copy(std::int64_t copy) {
    const std::uint64_t start = code_.address();
    const std::uint64_t record =
        subject::kTrace + static_cast<std::uint64_t>(copy) * kernel_.layout.words_per_copy * kWord;
    auto traced = kernel_.layout.instructions.begin();
    for (std::size_t i = 0; i < block_.instructions.size(); ++i) {
      if (copy == 0) {
        kernel_.starts.push_back({code_.address() - start, block_.instructions[i].offset});
      }
      const bool accesses = traced != kernel_.layout.instructions.end() && traced->index == i;
      if (accesses) write_before(*traced, record);
      copies_.write_instruction(code_, i);
      if (accesses) write_registers(traced->after, record + traced->after_word() * kWord);
      if (accesses) ++traced;
    }
    write_status(record + kernel_.layout.status_word() * kWord);
    kernel_.copy_size = code_.address() - start;
  }

  void write_before(const TracedInstruction& traced, std::uint64_t record) {
    write_registers(traced.before, record + traced.first_word * kWord);
    const VectorIndex* const index = traced.vector_index();
    if (index == nullptr) return;
    const std::uint64_t index_address = record + traced.index_word() * kWord;
    const std::uint64_t mask_address = record + traced.mask_word() * kWord;
    if (index->evex) {
      code_.store_zmm(index->reg, index_address, index->bits);
      code_.store_mask(index->mask, mask_address);
    } else {
      code_.store_ymm(index->reg, index_address, index->bits == 256);
      code_.store_ymm(index->mask, mask_address, index->mask_bits == 256);
    }
  }

  void write_registers(std::uint16_t set, std::uint64_t address) {
    for (int i = 0; i < kGeneralRegisters; ++i) {
      if (!(set >> i & 1)) continue;
      code_.store(static_cast<GeneralRegister>(i), address);
      address += kWord;
    }
  }

  void write_status(std::uint64_t address) {
    code_.store_mxcsr(address + offsetof(subject::CopyStatus, mxcsr));
    if (!block_.registers.x87) return;
    code_.store_x87_status(address + offsetof(subject::CopyStatus, x87_status));
  }

  const Block& block_;
  const CopyWriter& copies_;
  const InitialState& state_;
  TracedKernel& kernel_;
  Emitter code_;
  KernelFrame frame_;
};

}  // namespace

std::optional<Kernel::Location> TracedKernel::locate(std::uint64_t address) const {
  if (address < first_copy || copy_size == 0) return std::nullopt;
  const std::uint64_t distance = address - first_copy;
  const auto copy = static_cast<std::int64_t>(distance / copy_size);
  if (copy >= copies.count()) return std::nullopt;
  const auto behind = std::ranges::upper_bound(starts, distance % copy_size, {}, &Start::in_copy);
  return Kernel::Location{copy, std::prev(behind)->in_block};
}

std::variant<TracedKernel, Outcome> trace_kernel(const Block& block, const InitialState& state,
                                                 std::uint64_t address,
                                                 const std::optional<LoopCondition>& condition,
                                                 std::optional<Copies> copies_wanted) {
  TracedKernel kernel;
  kernel.start = address;
  kernel.layout = trace_layout(block, condition);
  kernel.copies = number_of_copies(block, kernel.layout, copies_wanted);
  if (kernel.copies == Copies()) {
    return Outcome{Reason::kTooLarge,
                   fmt::format("its accesses take {} words to record, of which there are {}",
                               kernel.layout.words_per_copy, subject::kTraceSize / kWord)};
  }
  const std::size_t copy_bound =
      block.bytes.size() + kStoreBound * kernel.layout.words_per_copy + kStatusBound;
  const std::uint64_t bound = kFrameBound + 2 * state.code.size() +
                              copy_bound * static_cast<std::size_t>(kernel.copies.count());
  const auto copies = CopyWriter::make(block, address, address + bound);
  if (const auto* refusal = std::get_if<Outcome>(&copies)) return *refusal;
  TraceWriter(block, std::get<CopyWriter>(copies), state, kernel).write();
  return kernel;
}

}  // namespace assay
