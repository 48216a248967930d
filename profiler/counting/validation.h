#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/validation_events.h"
#include "profiler/measurement/plan.h"

namespace assay {

/// The events that the backend can count here: a virtual machine may expose only some of a CPU's
/// events.
std::vector<ValidationEvent> countable(CounterBackend& backend, int processor,
                                       std::span<const ValidationEvent> events);

/// How many more instructions a run at the largest size retires than one at the smallest: those of
/// the block's copies and, for each iteration of a loop, those that close it. If a conditional
/// branch of the block closes the loop, that number depends on whether it is taken.
struct InstructionRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
InstructionRange added_instructions(const Block& block, const Plan& plan);

/// Blocks that surely miss nothing: an event that they cause does not count what it should.
std::span<const Bytes> steady_blocks();

/// How many more events the median run at the largest size counts than the median run at the
/// smallest (EventTally::growth).
struct Growth {
  Reason reason;     ///< the reason for which the event may reject a block
  std::string name;  ///< the event's name
  double events = 0;
};

/// Why the block's value must not be trusted, judged by what was counted; nothing if it may be. A
/// copy in steady state causes none of these events, so that even one more in the larger run is too
/// many. An exception is the mispredicted branch at the end of a loop, which a predictor may
/// foresee in a short loop and not in a long one. The instructions that retire must be exactly
/// those that were written. If several reasons apply, the first in the order of the enumeration
/// counts. `traits` are those of a block that is not rejected for them; events that they explain
/// are ignored.
std::optional<Outcome> validate(std::span<const Growth> growths,
                                const InstructionRange& instructions, Traits traits, Notion notion);

}  // namespace assay
