#pragma once

#include <string>

#include "profiler/measurement/measurement.h"

namespace assay {

/// Whether the whole interval is below the floor, by a margin of 1 % for the clock's own
/// uncertainty. No estimate is below a floor of 0.
bool is_below(const Estimate& estimate, double floor);
/// Whether the value itself is, but not the whole interval.
bool is_in_doubt(const Estimate& estimate, double floor);
std::string describe_below(const Estimate& estimate, double floor);

}  // namespace assay
