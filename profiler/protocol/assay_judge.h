#pragma once

#include "profiler/measurement/settings.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// The outcome by assay's own protocol. The checks are, in this order: kInterference if the canary
/// was slower than the settings accept; kBelowLimit if the estimate is below the floor (the least
/// cycles that a copy takes; 0 if this core's limits are not known); kNoSteadyState; then measured
/// if the interval is narrow and holds only positive values, else kUnstable.
Outcome judge_evaluation(const Evaluation& evaluation, double floor, const Settings& settings);

}  // namespace assay
