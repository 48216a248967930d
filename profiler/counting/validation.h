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

/// Those of the events that the backend can count here: a virtual machine may show some of a CPU's
/// events and hide others.
std::vector<ValidationEvent> countable(CounterBackend& backend, int processor,
                                       std::span<const ValidationEvent> events);

/// Instructions that the copies which the largest size has more retire: the block's own, and for
/// each iteration of a loop what closes it. Where a loop is closed by a conditional branch of the
/// block's, that depends on whether it is taken.
struct InstructionRange {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
InstructionRange added_instructions(const Block& block, const Plan& plan);

/// Blocks that surely miss nothing: an event that they cause does not count what it should.
std::span<const Bytes> steady_blocks();

/// By how many events the median run at the largest size has more than the one at the smallest
/// (EventTally::growth).
struct Growth {
  Reason reason;     ///< what the event stands for
  std::string name;  ///< of the event
  double events = 0;
};

/// Why what was counted forbids to trust the block's value; nothing if it does not. A copy in
/// steady state causes none of these events: as few as one more in the larger run is too much. But
/// for the branch at the end of a loop, which a predictor may foresee in a short one and not in a
/// long one. The instructions that retire must be those that were written. In the order of the
/// reasons; the first that applies. `traits`: of a block that is not rejected for them; events that
/// they bring with them are no news.
std::optional<Outcome> validate(std::span<const Growth> growths,
                                const InstructionRange& instructions, Traits traits, Notion notion);

}  // namespace assay
