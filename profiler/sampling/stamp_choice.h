#pragma once

#include <functional>
#include <vector>

#include "profiler/codegen/reads.h"
#include "profiler/support/units.h"

namespace assay {

/// Ways to read the time-stamp counter that are worth trying; the first one is a single stamp.
std::vector<TimeStamps> stamp_candidates();

/// What the readings of a kernel show that always takes the same time, over random phases of the
/// clock, and over durations that end at different phases of it. Divided by the number of stamps.
struct StampTrial {
  Ticks mean;
  double variance = 0;  ///< of a reading, in ticks squared
};

/// Takes the candidate that makes a mean of many runs the surest in a given time, or a single stamp
/// if none is better by far. Values are right on average with any of them: a poor choice only costs
/// time. (Where the counter steps by 37 core cycles, Zen 4, single stamps at both ends of a run
/// make its reading scatter by 15 cycles, and so many stamps in good places by so many times less;
/// each costs 67 cycles at either end.)
TimeStamps choose_stamps(const std::function<StampTrial(const TimeStamps&)>& trial);

}  // namespace assay
