#pragma once

#include <functional>
#include <vector>

#include "profiler/codegen/reads.h"
#include "profiler/support/units.h"

namespace assay {

/// The ways to read the time-stamp counter that are worth trying; the first is a single stamp.
std::vector<TimeStamps> stamp_candidates();

/// What readings of code that always takes the same time show, over random phases of the clock, and
/// over durations that end at different phases of it. Both are divided by the number of stamps.
struct StampTrial {
  Ticks mean;
  double variance = 0;  ///< variance of a reading, in ticks squared
};

/// Chooses the candidate that makes the mean of many runs the surest in a given time, or a single
/// stamp if none is much better. Each is tried several times, at different moments, of which the
/// quietest counts. Values are right on average with any candidate: a poor choice only
/// costs time. (If the counter steps by 37 core cycles, as on Zen 4, single stamps at both ends of
/// a run make its reading scatter by 15 cycles, and n well-spaced stamps make it scatter n times
/// less; each costs 67 cycles at either end.)
TimeStamps choose_stamps(const std::function<StampTrial(const TimeStamps&)>& trial);

}  // namespace assay
