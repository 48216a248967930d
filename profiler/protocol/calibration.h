#pragma once

#include <chrono>
#include <functional>

#include "profiler/machine/limits.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/companions.h"

// What is found out about a core before any block is measured on it.

namespace assay {

/// Runs the reference and the canary on this core before anything is judged by them. This takes at
/// least `least`, and longer until so many series were undisturbed that the ratio's error is small
/// against the sampling target, unless the core is never left alone. Throws EnvironmentError if
/// nothing can be run.
void calibrate(Workbench& workbench, Companions& companions, const subject::Limits& limits,
               std::chrono::nanoseconds least);

/// Runs them again on a core that was idle meanwhile, whose frequency may be another one: for some
/// milliseconds at most, until as many series were undisturbed as the ratio remembers.
void calibrate_again(Workbench& workbench, Companions& companions, const subject::Limits& limits);
inline constexpr int kSeriesToCalibrateAgain = 32;

/// Measures the limits of a core that is in no table (measured_limits.h). The companions must be
/// calibrated. `make_plan` makes a plan with three sizes for a block.
MachineLimits measure_limits_of(Workbench& workbench, Companions& companions,
                                const subject::Limits& limits,
                                const std::function<Plan(const Block&, Notion)>& make_plan);

}  // namespace assay
