#include "profiler/running/trace.h"

#include <algorithm>
#include <array>
#include <bit>

#include "profiler/block/operands.h"

namespace assay {
namespace {

using Words = std::span<const std::uint64_t>;

/// One of the lanes of `bits` bits that lie packed in words.
std::uint64_t lane(Words words, int bits, int number) {
  const int per_word = 64 / bits;
  const std::uint64_t word = words[static_cast<std::size_t>(number / per_word)];
  const int shift = number % per_word * bits;
  return bits == 64 ? word : word >> shift & ((std::uint64_t{1} << bits) - 1);
}

std::int64_t sign_extended(std::uint64_t value, int bits) {
  return static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// Computes accesses from what a traced kernel recorded.
class TraceReader {
 public:
  TraceReader(const TracedKernel& kernel, const Block& block, const InitialState& state)
      : kernel_(kernel), block_(block), memory_word_(state.memory_word) {
    registers_.fs_base = state.segment_base;
    registers_.gs_base = state.segment_base;
  }

  Trace read(Words records) {
    for (std::int64_t copy = 0; copy < kernel_.copies.count(); ++copy) {
      const std::size_t size = kernel_.layout.words_per_copy;
      record_ = records.subspan(static_cast<std::size_t>(copy) * size, size);
      copy_ = copy;
      for (const TracedInstruction& traced : kernel_.layout.instructions) add(traced);
      add_status();
    }
    return std::move(trace_);
  }

 private:
  void add(const TracedInstruction& traced) {
    load_registers(traced.before, traced.first_word);
    registers_.rip = kernel_.home + block_.instructions[traced.index].offset;
    const auto& condition = kernel_.layout.condition;
    if (condition && condition->setter == traced.index) {
      trace_.compared.push_back({compared(condition->a, traced), compared(condition->b, traced)});
    }
    for (const MemoryOperand& operand : traced.operands) {
      if (operand.vector_index) {
        add_lanes(traced, operand);
      } else if (operand.repeated) {
        add_elements(traced, operand);
      } else {
        const auto size = static_cast<std::uint64_t>(std::max(operand.size, 1));
        add_access(traced, operand, address(traced, operand), size);
      }
    }
  }

  /// What a condition compares. Memory is taken to hold what it was filled with.
  std::uint64_t compared(const LoopCondition::Operand& operand,
                         const TracedInstruction& traced) const {
    if (operand.reg) return registers_.general[static_cast<std::size_t>(*operand.reg)];
    if (!operand.memory || traced.operands.empty()) return operand.constant;
    const std::uint64_t offset = address(traced, traced.operands.front()) % sizeof(memory_word_);
    return std::rotr(memory_word_, static_cast<int>(8 * offset));
  }

  void load_registers(std::uint16_t set, std::size_t word) {
    for (std::size_t i = 0; i < kGeneralRegisters; ++i) {
      if (set >> i & 1) registers_.general[i] = record_[word++];
    }
  }

  std::uint64_t address(const TracedInstruction& traced, const MemoryOperand& operand) const {
    return address_of(operand, block_.instructions[traced.index].length, registers_);
  }

  void add_access(const TracedInstruction& traced, const MemoryOperand& operand,
                  std::uint64_t address, std::uint64_t size) {
    trace_.accesses.push_back({copy_, traced.index, address, size,
                               static_cast<std::uint64_t>(std::max(operand.size, 1)), operand.read,
                               operand.write, operand.general_registers()});
  }

  /// Adds what a repeated instruction accessed through one pointer. How far the pointer moved tells
  /// the number of elements and the direction, whatever the flags were and whatever ended the
  /// repetition.
  void add_elements(const TracedInstruction& traced, const MemoryOperand& operand) {
    const std::uint64_t first = address(traced, operand);
    const std::uint64_t before = base_of(operand);
    const AddressRegisters kept = registers_;
    load_registers(traced.after, traced.after_word());
    const std::int64_t moved =
        sign_extended(base_of(operand) - before, operand.address_32 ? 32 : 64);
    registers_ = kept;
    if (moved == 0) return;
    const auto element = static_cast<std::uint64_t>(operand.size);
    const auto distance = static_cast<std::uint64_t>(moved);
    if (moved > 0) {
      add_access(traced, operand, first, distance);
    } else {
      add_access(traced, operand, first + element + distance, 0 - distance);
    }
  }

  std::uint64_t base_of(const MemoryOperand& operand) const {
    return registers_.general[static_cast<std::size_t>(operand.base.value())];
  }

  void add_lanes(const TracedInstruction& traced, const MemoryOperand& operand) {
    const VectorIndex& index = *operand.vector_index;
    const Words indices = record_.subspan(traced.index_word());
    const Words mask = record_.subspan(traced.mask_word());
    for (int i = 0; i < index.lanes; ++i) {
      if (!is_active(operand, mask, i)) continue;
      MemoryOperand element = operand;
      element.displacement += static_cast<std::uint64_t>(
          sign_extended(lane(indices, index.lane_bits, i), index.lane_bits) * index.scale);
      add_access(traced, element, address(traced, element),
                 static_cast<std::uint64_t>(operand.size));
    }
  }

  static bool is_active(const MemoryOperand& operand, Words mask, int number) {
    if (operand.vector_index->evex) return mask[0] >> number & 1;
    const int bits = 8 * operand.size;
    return lane(mask, bits, number) >> (bits - 1) != 0;
  }

  void add_status() {
    const std::uint64_t word = record_[kernel_.layout.status_word()];
    auto status = std::bit_cast<subject::CopyStatus>(word);
    if (!block_.registers.x87) status.x87_status = 0;
    trace_.statuses.push_back(status);
  }

  const TracedKernel& kernel_;
  const Block& block_;
  std::uint64_t memory_word_;
  AddressRegisters registers_;
  Words record_;
  std::int64_t copy_ = 0;
  Trace trace_;
};

}  // namespace

Trace read_trace(const TracedKernel& kernel, const Block& block, const InitialState& state,
                 std::span<const std::uint64_t> records) {
  return TraceReader(kernel, block, state).read(records);
}

TraceRun run_trace(subject::Subject& subject, const TracedKernel& kernel, const Block& block,
                   const InitialState& state, const subject::Limits& limits) {
  subject.load_code(kernel.start - subject::kCode, kernel.code);
  TraceRun run;
  const auto fault_of = [&](std::uint64_t entry) {
    const std::array entries = {entry};
    const subject::Series series = {entries,     1, ~0U, state.memory_word, state.segment_base, 0,
                                    state.frames};
    return subject.run(series, limits).fault;
  };
  run.fault = fault_of(kernel.entry);
  if (run.fault) return run;
  run.trace = read_trace(kernel, block, state, subject.trace());
  if (kernel.subnormal_entry == 0) return run;
  // If subnormals lead it astray, the flags up to the first of them say so.
  if (!fault_of(kernel.subnormal_entry)) {
    run.trace.statuses = std::move(read_trace(kernel, block, state, subject.trace()).statuses);
  }
  return run;
}

}  // namespace assay
