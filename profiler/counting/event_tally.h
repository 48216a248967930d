#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/counter_group.h"
#include "profiler/measurement/measurement.h"
#include "profiler/sampling/round.h"
#include "profiler/support/units.h"

namespace assay {

/// Indices of the sizes in a pass of events (counting_plan): no copy, and the plan's smallest and
/// largest size.
inline constexpr std::size_t kNoCopies = 0;
inline constexpr std::size_t kFewCopies = 1;
inline constexpr std::size_t kManyCopies = 2;

/// The runs in a pass of events: `times` runs of each size that count, behind two that only warm
/// up, the largest size first.
Round counting_round(int times);

/// Collects what the counters of one pass count in series of counting rounds.
class EventTally {
 public:
  /// `names` are the counters' names, core cycles first. `added_copies` is how many more copies of
  /// the block a run at the largest size has than one at the smallest. `method` is how the counters
  /// are read.
  EventTally(std::vector<std::string> names, ReadMethod method, Copies added_copies, int pass)
      : names_(std::move(names)),
        method_(method),
        added_copies_(added_copies.real()),
        pass_(pass),
        small_(names_.size()),
        large_(names_.size()),
        empty_(names_.size()),
        per_copy_(names_.size()) {}

  /// Adds a series. `readings` are ordered by round, then by run, then by counter.
  void add_series(const Round& round, std::span<const std::uint32_t> readings);
  int series() const { return static_cast<int>(per_copy_.front().size()); }

  /// The counts of all events, in order, from at least six series. Each is the mean of the series'
  /// differences between the two sizes, without far outliers (robust_mean). Its 95 % interval comes
  /// from their scatter (Student's t), but is not narrower than half a count over all series or, if
  /// the monitor reads means, which are rounded, than one count in each series.
  std::vector<EventCount> counts() const;
  /// The count of core cycles, computed as counts() does.
  EventCount cycles() const { return count_of(0); }

  /// How many more events the median run at the largest size counts than the median run at the
  /// smallest. `event` is the event's index in counts().
  double growth(std::size_t event) const;

 private:
  EventCount count_of(std::size_t counter) const;

  std::vector<std::string> names_;
  ReadMethod method_;
  double added_copies_;
  int pass_;
  // For each counter: the readings of all runs that count at each size, and the result of each
  // series.
  std::vector<std::vector<double>> small_;
  std::vector<std::vector<double>> large_;
  std::vector<std::vector<double>> empty_;
  std::vector<std::vector<double>> per_copy_;
};

}  // namespace assay
