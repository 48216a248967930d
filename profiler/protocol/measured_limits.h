#pragma once

#include <functional>
#include <optional>

#include "profiler/block/block.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"

namespace assay {

/// Core cycles per copy of a block; nothing if it could not be measured.
using MeasureCycles = std::function<std::optional<double>(const Block&, Notion)>;

/// Finds the limits of a core that is in no table: for each, the best rate that any of a few blocks
/// reaches that ask for little else, and 2 % more. A limit that no block could be measured for is
/// infinite, so that it never makes a floor. A core that is disturbed all the while seems slower
/// than it is: let `measure` give the quickest of several tries.
MachineLimits measure_limits(const MeasureCycles& measure);

}  // namespace assay
