#pragma once

#include <string>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/estimate.h"

namespace assay {

/// What an estimate is judged by beside its own interval.
struct Circumstances {
  double slowdown = 0;  ///< of the canary
  double floor = 0;  ///< cycles that a copy takes at least; 0 if this core's limits are not known
  Steadiness steadiness;
};

/// Whether the whole interval is below the floor, by a margin of 1 % for the clock's own
/// uncertainty.
bool is_below(const Estimate& estimate, double floor);
std::string describe_below(const Estimate& estimate, double floor);

/// kMeasured if the interval is narrow and holds positive values only; else rejected as kUnstable.
/// Before that, in this order: as kInterference if the canary was slower than the settings accept,
/// as kBelowLimit if the estimate is below the floor, as kNoSteadyState.
void judge(Measurement& measurement, const Circumstances& circumstances, const Settings& settings);

}  // namespace assay
