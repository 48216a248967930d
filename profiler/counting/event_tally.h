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

/// The sizes of a pass of events (counting_plan): without a copy, and the plan's own smallest and
/// largest.
inline constexpr std::size_t kNoCopies = 0;
inline constexpr std::size_t kFewCopies = 1;
inline constexpr std::size_t kManyCopies = 2;

/// The runs of a pass of events: so many of each size, the largest first, behind two each that only
/// warm up.
Round counting_round(int times);

/// What the counters of one pass counted in series of counting rounds.
class EventTally {
 public:
  /// `names`: of the counters, core cycles first. `added_copies`: of the block that a run at its
  /// largest size has more than one at its smallest. `method`: by which they were read.
  EventTally(std::vector<std::string> names, ReadMethod method, Copies added_copies, int pass)
      : names_(std::move(names)),
        method_(method),
        added_copies_(added_copies.real()),
        pass_(pass),
        small_(names_.size()),
        large_(names_.size()),
        empty_(names_.size()),
        per_copy_(names_.size()) {}

  /// `readings`: by round, run and counter.
  void add_series(const Round& round, std::span<const std::uint32_t> readings);
  int series() const { return static_cast<int>(per_copy_.front().size()); }

  /// Of each event, in order, from at least six series: the mean of the series' two-size
  /// differences without far outliers (robust_mean), and its 95 % interval from their scatter
  /// (Student's t), or half a count in all series, or one in each where the monitor reads means,
  /// which are rounded; whichever is wider.
  std::vector<EventCount> counts() const;
  /// The same of the core cycles.
  EventCount cycles() const { return count_of(0); }

  /// By how many events the median run at the largest size has more than the median one at the
  /// smallest. `event`: by its place in counts().
  double growth(std::size_t event) const;

 private:
  EventCount count_of(std::size_t counter) const;

  std::vector<std::string> names_;
  ReadMethod method_;
  double added_copies_;
  int pass_;
  // By counter: readings of all runs that count, and what each series gives.
  std::vector<std::vector<double>> small_;
  std::vector<std::vector<double>> large_;
  std::vector<std::vector<double>> empty_;
  std::vector<std::vector<double>> per_copy_;
};

}  // namespace assay
