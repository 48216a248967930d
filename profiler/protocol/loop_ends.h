#pragma once

#include <optional>

#include "profiler/codegen/initial_state.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/running/loaded_block.h"

// How the loop over a block that ends in a branch is to end.

namespace assay {

/// Decides it for the plan (Plan::loop), and closes Plan::end_is_open. A bound, or a sentinel, is
/// tried by a few turns, of which each must be counted; for a sentinel memory may hold another word
/// than that of the state. Another plan must be loaded then. Returns an outcome if the block cannot
/// end as it was asked for.
std::optional<Outcome> find_loop_end(LoadedBlock& loaded, LoopEndChoice choice, Plan& plan);

/// Lets a plan for a loop that ends by its own branch end otherwise. Returns an outcome if nothing
/// else was asked for.
std::optional<Outcome> give_up_own_end(LoadedBlock& loaded, LoopEndChoice choice, Plan& plan);

/// Whether the loop turns as often as planned at each size; true of what does not end by its own
/// branch. If there is one, the plan is loaded anew.
bool turns_as_planned(LoadedBlock& loaded, const Plan& plan);

/// The state in which the plan's largest size begins: the register that bounds the loop has its
/// value.
InitialState state_of_largest_size(const InitialState& state, const Plan& plan);

}  // namespace assay
