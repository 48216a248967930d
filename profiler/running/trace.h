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

/// One memory access of one instruction in one copy. What a repeated string instruction accesses
/// through one pointer is one access of many elements.
struct TracedAccess {
  std::int64_t copy = 0;        ///< from 0
  std::size_t instruction = 0;  ///< index of Block::instructions
  std::uint64_t address = 0;    ///< of the lowest byte
  std::uint64_t size = 0;       ///< bytes; not 0
  std::uint64_t element = 0;    ///< bytes that belong together; `size` but for repeated ones
  bool read = false;
  bool write = false;

  bool operator==(const TracedAccess&) const = default;
};

/// What a traced kernel recorded.
struct Trace {
  std::vector<TracedAccess> accesses;         ///< in the order of the program
  std::vector<subject::CopyStatus> statuses;  ///< behind each copy; x87_status 0 without x87
};

/// Computes it from the records of a run that came to its end. `records` are Subject::trace().
Trace read_trace(const TracedKernel& kernel, const Block& block, const InitialState& state,
                 std::span<const std::uint64_t> records);

struct TraceRun {
  /// What ended it early; the trace is empty then. Kernel::locate of the traced kernel tells where.
  std::optional<subject::Fault> fault;
  Trace trace;
};

/// Loads the kernel, runs it once, untimed, and reads its records. Missing pages are mapped on the
/// way, and stay mapped for the timed runs. One run is enough, since a copy that missed a page goes
/// on at the instruction that missed it, with everything behind it already recorded.
TraceRun run_trace(subject::Subject& subject, const TracedKernel& kernel, const Block& block,
                   const InitialState& state, const subject::Limits& limits);

}  // namespace assay
