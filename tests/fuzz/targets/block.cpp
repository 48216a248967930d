// Machine code: all that is done with a block short of running it.
#include <span>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/block/memory_operand.h"
#include "profiler/block/text.h"
#include "profiler/codegen/kernel.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/protocol/assay_plan.h"
#include "profiler/subject/layout.h"
#include "tests/fuzz/targets/target.h"

namespace assay::fuzz {
namespace {

constexpr std::size_t kCacheSize = 32 * 1024;

void check_refusal(const Outcome& refusal) {
  require(!refusal.detail.empty(), "a refusal says nothing");
  const Verdict verdict = refusal.verdict();
  require(verdict == Verdict::kRejected || verdict == Verdict::kFailed, "a refusal is none");
}

/// Checks that instructions follow each other without a gap, and that all offsets lie in the block.
void check_block(const Block& block) {
  std::size_t end = 0;
  for (const Instruction& each : block.instructions) {
    require(each.offset == end && each.length > 0 && each.length <= 15, "a gap in the block");
    end += each.length;
    memory_operands(std::span(block.bytes).subspan(each.offset, each.length));
  }
  require(end == block.bytes.size() && end > 0, "instructions do not end where the block does");
  for (const RipRelativeOperand& operand : block.rip_relative) {
    require(operand.displacement_offset + 4 <= operand.next_instruction &&
                operand.next_instruction <= end,
            "a displacement lies outside of the block");
  }
  if (block.final_branch) {
    const auto size = static_cast<std::size_t>(block.final_branch->displacement_size);
    require((size == 1 || size == 4) && block.final_branch->displacement_offset + size == end,
            "a final branch does not end the block");
  }
}

void check_kernel(const std::variant<Kernel, Outcome>& made, std::size_t bound, const Plan& plan) {
  if (const auto* const refusal = std::get_if<Outcome>(&made)) {
    return check_refusal(*refusal);
  }
  const Kernel& kernel = std::get<Kernel>(made);
  require(kernel.code.size() <= bound, "a kernel is larger than its bound");
  require(kernel.entries.size() == plan.sizes.size(), "a size has no entry");
  for (const std::uint64_t entry : kernel.entries) {
    require(entry >= kernel.start && entry < kernel.start + kernel.code.size(),
            "an entry lies outside of its kernel");
  }
  const auto place = kernel.locate(kernel.first_copy);
  require(place && place->copy == 0 && place->offset == 0, "the first copy is elsewhere");
}

void check_trace(const Block& block, const InitialState& state) {
  const auto made = trace_kernel(block, state, subject::kCode);
  if (const auto* const refusal = std::get_if<Outcome>(&made)) {
    return check_refusal(*refusal);
  }
  const TracedKernel& kernel = std::get<TracedKernel>(made);
  require(kernel.code.size() <= std::size_t{400} * 1024, "a traced kernel is too large");
  require(kernel.starts.size() == block.instructions.size(), "an instruction has no start");
  require(kernel.copies >= Copies(1) &&
              kernel.layout.words_per_copy * static_cast<std::size_t>(kernel.copies.count()) * 8 <=
                  subject::kTraceSize,
          "records do not fit the trace area");
}

void check_kernels(const Block& block, Notion notion) {
  static const InitialState kState = distinct_initial_state();
  const auto planned = make_plan(block, notion, Settings{}, kCacheSize);
  if (const auto* const refusal = std::get_if<Outcome>(&planned)) {
    return check_refusal(*refusal);
  }
  const Plan& plan = std::get<Plan>(planned);
  require(plan.sizes.size() == 3 && plan.sizes[0] > Iterations(0), "a plan has no sizes");
  const bool looped = notion == Notion::kLooped;
  const Copies copies = looped ? plan.body : plan.most_copies();
  const std::size_t bound = kernel_size_bound(block, copies, plan.sizes.size(), kState);
  check_kernel(looped ? loop(block, plan.body, plan.sizes, kState, subject::kCode)
                      : unroll(block, plan.sizes, kState, subject::kCode),
               bound, plan);
  check_trace(block, kState);
}

}  // namespace
}  // namespace assay::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assay;
  using namespace assay::fuzz;
  const Bytes bytes(data, data + size);
  const auto decoded = decode(bytes);
  require(bytes.empty() == text_of(bytes).empty(), "bytes without text, or the reverse");
  if (const auto* const refusal = std::get_if<Refusal>(&decoded)) {
    check_refusal(refusal->outcome);
    return 0;
  }
  const Block& block = std::get<Block>(decoded);
  check_block(block);
  check_kernels(block, Notion::kUnrolled);
  check_kernels(block, Notion::kLooped);
  return 0;
}
