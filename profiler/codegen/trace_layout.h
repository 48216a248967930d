#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/loop_condition.h"
#include "profiler/block/memory_operand.h"

namespace assay {

/// An instruction that is traced, since it accesses memory, and the words in a copy's record from
/// which its addresses can be computed. The words are, in this order: the general registers in
/// `before`, ascending; for a gather or scatter, the index vector and the mask; the general
/// registers in `after`, ascending.
struct TracedInstruction {
  std::size_t index = 0;  ///< the instruction's index in Block::instructions
  std::vector<MemoryOperand> operands;
  std::uint16_t before = 0;  ///< bit i: GeneralRegister i is recorded before the instruction
  /// Bit i: GeneralRegister i is recorded after the instruction. Only a repeated instruction needs
  /// that: it moves its address registers by as much as it has accessed.
  std::uint16_t after = 0;
  std::size_t first_word = 0;  ///< where the instruction's words begin in the copy's record

  /// The vector index of a gather or scatter; nullptr for others. No instruction has two.
  const VectorIndex* vector_index() const;
  /// Where the index vector, the mask, the registers of `after`, and the end of the instruction's
  /// words are, counted from the copy's first word.
  std::size_t index_word() const;
  std::size_t mask_word() const;
  std::size_t after_word() const;
  std::size_t end_word() const;
};

/// What one traced copy of a block records: for every instruction that accesses memory, the
/// registers that its addresses are computed from; then a subject::CopyStatus.
struct TraceLayout {
  std::vector<TracedInstruction> instructions;
  std::optional<LoopCondition> condition;  ///< whose operands are recorded too
  std::size_t words_per_copy = 0;          ///< in words of 8 bytes
  std::size_t status_word() const { return words_per_copy - 1; }
};

/// With a condition, the instruction that decides it is traced too, whether it accesses memory or
/// not: the registers that it compares are recorded before it.
TraceLayout trace_layout(const Block& block,
                         const std::optional<LoopCondition>& condition = std::nullopt);

}  // namespace assay
