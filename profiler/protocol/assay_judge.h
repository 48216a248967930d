#pragma once

#include <optional>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// The outcome by assay's own protocol. The checks are, in this order: kInterference if the canary
/// was slower than the settings accept; kBelowLimit if the estimate is below the floor (the least
/// cycles that a copy takes; 0 if this core's limits are not known); kNoSteadyState, also if the
/// steady state is doubtful and a larger plan is left (`can_be_raised`) that may show more; then
/// measured if the steady state is reached and the interval is narrow and holds only positive
/// values, else kUnstable. (What is doubtful may be reached at the next visit: three that are not
/// sure of it are no proof that the block has none.)
Outcome judge_evaluation(const Evaluation& evaluation, double floor, const Settings& settings,
                         bool can_be_raised);

/// What an evaluation with this outcome shows of the block, if it is measured, or unsure only.
std::optional<Evidence> evidence_of(const Evaluation& evaluation, const Outcome& outcome,
                                    double floor);

}  // namespace assay
