#pragma once

#include <optional>

#include "profiler/counters/counter_group.h"
#include "profiler/counting/event_tally.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/loaded_block.h"

namespace assay {

/// The sizes at which events are counted: the plan's smallest and largest, and no copies at all.
Plan counting_plan(const Plan& plan);

/// What a pass counted.
struct PassCounts {
  std::optional<subject::Fault> fault;  ///< that the block ended in
  EventTally tally;
  bool complete = false;  ///< false if the core was lost in too many series, or there is a fault
};

/// Counts the group's events in series of runs of a block that was loaded for the group at
/// counting_plan(plan). `pass`: its number, for the counts. Series in which the core was lost are
/// left out.
PassCounts count_pass(LoadedBlock& loaded, const CounterGroup& counters, const Plan& plan,
                      int pass);

}  // namespace assay
