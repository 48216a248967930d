#pragma once

#include <functional>
#include <optional>

#include "profiler/block/block.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"

namespace assay {

/// Measures a block: its core cycles per copy; nothing if it could not be measured.
using MeasureCycles = std::function<std::optional<double>(const Block&, Notion)>;

/// Finds the limits of a core that is in no table. Each limit is 2 % above the best rate that any
/// of a few blocks reaches which use little else. A limit for which no block could be measured is
/// infinite, so that it never makes a floor. A core that is disturbed all the time seems slower
/// than it is: `measure` should give the quickest of several tries.
MachineLimits measure_limits(const MeasureCycles& measure);

}  // namespace assay
