#pragma once

#include <cstdint>

#include "profiler/counters/counter_group.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/sample.h"

namespace assay {

/// How long a run of a block takes at its smallest and at its largest size, roughly, in core cycles
/// with all that frames the copies.
struct RunTimes {
  double quarter = 0;
  double full = 0;
};

/// How a series of samples is made of rounds.
struct SeriesPlan {
  Round round;
  std::uint32_t rounds = 0;
};

/// Turns at each place, and rounds of all places, of which one series gives the precision that is
/// asked for, most often, as far as the clock's own noise goes. `clock_step`: the clock's step in
/// core cycles, or the part of it that several stamps tell. Where a turn is read around, it is many
/// runs already: the fewest turns then.
SeriesPlan plan_series(const Plan& plan, const RunTimes& times, double clock_step,
                       const Settings& settings, ReadMethod method);

/// Places at which a block is measured in turn. Some blocks take a few per cent more time at one
/// place than at another.
inline constexpr std::size_t kPlaces = 8;

/// One that fits any block: for what runs before there is one.
SeriesPlan calibration_series(ReadMethod method);

}  // namespace assay
