#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/counters/counter_group.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// About how long a run of a block takes at its smallest and at its largest size, including the
/// code around the copies.
struct RunTimes {
  Cycles smallest;
  Cycles largest;
};

/// What a series of samples consists of.
struct SeriesPlan {
  Round round;
  std::uint32_t rounds = 0;
  std::uint32_t pass = 0;  ///< which one over the alignments, as Plan::copies_at() counts them
};

/// The number of alignments at which a block is measured, one after the other. Some blocks take a
/// few per cent more time at one alignment of their code than at another.
inline constexpr std::size_t kAlignments = 8;

/// The number of alignments at which one series runs the block. What lasts for a series, such as a
/// state of the core's predictors or a neighbour, is seen as often as there are series: several
/// short ones tell it better than a long one does.
inline constexpr std::size_t kAlignmentsInSeries = 2;

/// Plans the series that together run the block at all alignments: the number of runs at each
/// alignment, and of rounds, with which these series usually give the precision that the settings
/// ask for, if the cycles of a run have such a variance. `known` is how many degrees of freedom of
/// the series' scatter are known from other blocks (SeriesScatter::freedom()). If runs are read
/// around, each reading is already of many runs, so that the fewest runs are planned.
std::vector<SeriesPlan> plan_series(const Plan& plan, const RunTimes& times, double run_variance,
                                    std::size_t known, const Settings& settings, ReadMethod method);

/// The variance that is to be expected of the cycles of a run. `clock_step` is the clock's step, or
/// the part of it that several stamps resolve.
double usual_run_variance(Cycles clock_step);

/// A series that suits any block, for what runs before there is a plan.
SeriesPlan calibration_series(ReadMethod method);

}  // namespace assay
