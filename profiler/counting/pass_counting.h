#pragma once

#include <optional>

#include "profiler/counters/counter_group.h"
#include "profiler/counting/event_tally.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/loaded_block.h"

namespace assay {

/// The plan with the sizes at which events are counted: no copies, and the plan's smallest and
/// largest size.
Plan counting_plan(const Plan& plan);

/// What a pass counted.
struct PassCounts {
  std::optional<subject::Fault> fault;  ///< the fault that the block ended in, if any
  EventTally tally;
  bool complete = false;  ///< false after a fault, or if the core was lost in too many series
};

/// Counts the group's events in series of runs of a block, which must be loaded for the group at
/// counting_plan(plan). `pass` is the pass's number, which the counts carry. Series in which the
/// core was lost are left out.
PassCounts count_pass(LoadedBlock& loaded, const CounterGroup& counters, const Plan& plan,
                      int pass);

}  // namespace assay
