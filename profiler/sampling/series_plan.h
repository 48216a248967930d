#pragma once

#include <cstdint>

#include "profiler/counters/counter_group.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// How long a run of a block takes at its smallest and at its largest size, roughly, with all that
/// frames the copies.
struct RunTimes {
  Cycles smallest;
  Cycles largest;
};

/// How a series of samples is made of rounds.
struct SeriesPlan {
  Round round;
  std::uint32_t rounds = 0;
};

/// Placements at which a block is measured, one after the other. Some blocks take a few per cent
/// more time at one than at another.
inline constexpr std::size_t kPlacements = 8;

/// Runs at each placement, and rounds of all placements, of which one series gives the precision
/// that is asked for, most often, as far as the clock's own noise goes. `clock_step`: the clock's,
/// or the part of it that several stamps tell. Where a run is read around, it is many runs already:
/// the fewest runs then.
SeriesPlan plan_series(const Plan& plan, const RunTimes& times, Cycles clock_step,
                       const Settings& settings, ReadMethod method);

/// One that fits any block: for what runs before there is one.
SeriesPlan calibration_series(ReadMethod method);

}  // namespace assay
