#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/block/loop_condition.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/loop_end.h"
#include "profiler/running/trace.h"

namespace assay {

/// Bounds with which a loop under the condition may turn as often as it is to, the likeliest first:
/// whether one does must be tried. A bound is found if A and B move in a line from copy to copy,
/// and towards the end of the condition; it is the initial value of one that lies in a register,
/// that which does not move rather than that which does.
std::vector<LoopBound> possible_bounds(const LoopCondition& condition,
                                       std::span<const Compared> compared,
                                       const InitialState& state);

/// Words that memory may hold for a loop that ends by what it loads to go on for long, beside that
/// of its state: of equal bytes, so that walks by any distance load the same.
std::vector<std::uint64_t> possible_words(const LoopCondition& condition,
                                          std::span<const Compared> compared);

/// Sentinels that may end a loop, the likeliest first: whether one does must be tried. They lie
/// where a load comes to that moves on by as much from copy to copy. None if the condition fails in
/// some copy already.
std::vector<LoopSentinel> possible_sentinels(const LoopCondition& condition, const Trace& trace);

}  // namespace assay
