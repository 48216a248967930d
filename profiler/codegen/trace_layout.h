#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/memory_operand.h"

namespace assay {

/// An instruction that accesses memory, and the words of a copy's record that tell its addresses,
/// in this order: the general registers of `before`, ascending; of a gather or scatter, the index
/// vector and the mask; the general registers of `after`, ascending.
struct TracedInstruction {
  std::size_t index = 0;  ///< of Block::instructions
  std::vector<MemoryOperand> operands;
  std::uint16_t before = 0;  ///< bit i: GeneralRegister i is stored in front of it
  std::uint16_t after = 0;   ///< and behind it: a repeated one moves them by what it accessed
  std::size_t first_word = 0;

  /// The operand of a gather or scatter, if it is one: no instruction has two.
  const VectorIndex* vector_index() const;
  /// Of the parts of its record, from the copy's first word on.
  std::size_t index_word() const;
  std::size_t mask_word() const;
  std::size_t after_word() const;
  std::size_t end_word() const;
};

/// What a traced copy of a block records: of every instruction that accesses memory the registers
/// that its addresses are made of, then a subject::CopyStatus.
struct TraceLayout {
  std::vector<TracedInstruction> instructions;
  std::size_t words_per_copy = 0;  ///< 8 bytes each
  std::size_t status_word() const { return words_per_copy - 1; }
};

TraceLayout trace_layout(const Block& block);

}  // namespace assay
