#pragma once

#include <string>

#include "profiler/measurement/settings.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// Whether the whole interval is below the floor, by a margin of 1 % for the clock's own
/// uncertainty.
bool is_below(const Estimate& estimate, double floor);
std::string describe_below(const Estimate& estimate, double floor);

/// What assay's own protocol makes of a block: it is measured if the interval is narrow and holds
/// positive values only, else kUnstable. Before that, in this order: kInterference if the canary
/// was slower than the settings accept, kBelowLimit if the estimate is below the floor (cycles that
/// a copy takes at least; 0 if this core's limits are not known), kNoSteadyState.
Outcome judge_evaluation(const Evaluation& evaluation, double floor, const Settings& settings);

}  // namespace assay
