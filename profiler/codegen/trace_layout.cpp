#include "profiler/codegen/trace_layout.h"

#include <bit>
#include <span>

namespace assay {
namespace {

constexpr std::size_t kWordBits = 64;

std::size_t registers_in(std::uint16_t set) { return static_cast<std::size_t>(std::popcount(set)); }

std::size_t words_of(int bits) { return static_cast<std::size_t>(bits) / kWordBits; }

}  // namespace

const VectorIndex* TracedInstruction::vector_index() const {
  for (const MemoryOperand& operand : operands) {
    if (operand.vector_index) return &*operand.vector_index;
  }
  return nullptr;
}

std::size_t TracedInstruction::index_word() const { return first_word + registers_in(before); }

std::size_t TracedInstruction::mask_word() const {
  const VectorIndex* const vectors = vector_index();
  return index_word() + (vectors ? words_of(vectors->bits) : 0);
}

std::size_t TracedInstruction::after_word() const {
  const VectorIndex* const vectors = vector_index();
  if (vectors == nullptr) return mask_word();
  return mask_word() + (vectors->evex ? 1 : words_of(vectors->mask_bits));
}

std::size_t TracedInstruction::end_word() const { return after_word() + registers_in(after); }

TraceLayout trace_layout(const Block& block, const std::optional<LoopCondition>& condition) {
  TraceLayout layout;
  layout.condition = condition;
  for (std::size_t i = 0; i < block.instructions.size(); ++i) {
    const Instruction& at = block.instructions[i];
    TracedInstruction traced;
    traced.operands = memory_operands(std::span(block.bytes).subspan(at.offset, at.length));
    const bool decides = condition && condition->setter == i;
    if (traced.operands.empty() && !decides) continue;
    if (decides) traced.before = condition->registers();
    traced.index = i;
    traced.first_word = layout.words_per_copy;
    for (const MemoryOperand& operand : traced.operands) {
      traced.before |= operand.general_registers();
      if (operand.repeated) traced.after |= operand.general_registers();
    }
    layout.words_per_copy = traced.end_word();
    layout.instructions.push_back(std::move(traced));
  }
  ++layout.words_per_copy;  // for the copy's status
  return layout;
}

}  // namespace assay
