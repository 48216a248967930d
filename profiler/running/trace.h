#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/subject/subject.h"

namespace assay {

/// One memory access of one instruction in one copy. All that a repeated string instruction
/// accesses through one pointer counts as one access of many elements.
struct TracedAccess {
  std::int64_t copy = 0;        ///< number of the copy, from 0
  std::size_t instruction = 0;  ///< index in Block::instructions
  std::uint64_t address = 0;    ///< address of the lowest byte
  std::uint64_t size = 0;       ///< in bytes; not 0
  std::uint64_t element = 0;    ///< bytes in an element; equals `size` if not repeated
  bool read = false;
  bool write = false;
  /// The general registers that the address is computed from; bit i stands for GeneralRegister i.
  std::uint16_t registers = 0;

  bool operator==(const TracedAccess&) const = default;
};

/// The operands that decide a copy's branch, as they were before it.
struct Compared {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
};

/// What a traced kernel recorded.
struct Trace {
  std::vector<TracedAccess> accesses;         ///< in program order
  std::vector<subject::CopyStatus> statuses;  ///< one for each copy; x87_status is 0 without x87
  std::vector<TracedAccess> foreseen{};       ///< by further copies (Footprint::meeting())
  std::vector<Compared> compared{};           ///< one for each copy, if the layout has a condition
};

/// Computes the trace from the records of a run that reached its end. `records` is
/// Subject::trace().
Trace read_trace(const TracedKernel& kernel, const Block& block, const InitialState& state,
                 std::span<const std::uint64_t> records);

struct TraceRun {
  /// The fault that ended the run early; the trace is empty then. TracedKernel::locate() tells
  /// where it is.
  std::optional<subject::Fault> fault;
  Trace trace;
};

/// Loads the kernel, runs it once, untimed, and reads its records. Missing pages are mapped during
/// the run, and stay mapped for the timed runs. One run is enough, since a copy that missed a page
/// continues at the instruction that missed it, with everything before that already recorded.
TraceRun run_trace(subject::Subject& subject, const TracedKernel& kernel, const Block& block,
                   const InitialState& state, const subject::Limits& limits);

}  // namespace assay
