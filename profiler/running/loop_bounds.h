#pragma once

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

}  // namespace assay
