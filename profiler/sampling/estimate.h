#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/sampling/series_point.h"

namespace assay {

/// Whether the last copies take as long as those before.
struct Steadiness {
  double near_cycles = 0;  ///< per copy from the smallest to the middle size
  double far_cycles = 0;   ///< per copy from there to the largest
  double half_width = 0;   ///< of the 95 % interval around their difference
  double near_share = 0;   ///< of the copies that the estimate rests on
};

/// Whether the last copies take as long as those before: the difference is no larger than its
/// interval and so much as shifts the estimate, which feels only the near copies' share in it, by
/// the sampling target.
bool is_steady(const Steadiness& steadiness, const Settings& settings);

/// Whether the interval is at most this share of the value, or so many cycles, to both sides.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

/// The scatter between points needs a few of them to show.
inline constexpr int kFewestPoints = 6;

/// Copies of a block at three sizes, from the smallest on.
using SizesInCopies = std::array<Copies, kMostSizes>;
/// Of a plan of three sizes.
SizesInCopies sizes_in_copies(const Plan& plan);

/// What a block's samples at three sizes mean. Readings come in as series of interleaved rounds.
class Estimator {
 public:
  /// `companions` must outlive it.
  Estimator(Round round, const SizesInCopies& sizes, Companions& companions)
      : round_(std::move(round)), sizes_(sizes), companions_(companions) {}

  /// Takes in a series if nothing disturbed it: a point for each placement at which the block ran
  /// in it. `readings`: round after round; none if they were lost with the core. If the clock
  /// drifted, those before are left out too.
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted);

  /// Points taken in, but for those that are far from the rest: see estimate().
  int count() const { return static_cast<int>(near_.size()); }
  /// Series that were taken in.
  int series() const { return series_; }

  /// Cycles per copy, from at least kFewestPoints points: of the values
  ///
  ///     (mean(largest) - mean(smallest)) / (copies(largest) - copies(smallest)) * ratio
  ///
  /// of each point, the mean. Its interval comes from their scatter (Student's t, and a tenth more
  /// since sampling ends when it is narrow; three tenths after more than one series), or from that
  /// of the single readings if that is wider, together with the ratio's own error.
  ///
  /// A point that is far from the median of all (six standard errors of its own, 3 %, and four
  /// standard deviations of all, as half of them have it) is left out if that is rare, among at
  /// least twenty points no more than one in five, unless three of four at its placement are: lines
  /// of data may come to lie badly in the cache (subject::Series::eviction_mask), and after an
  /// interrupt a core may run the same code in another state until the next one. The value is that
  /// of the usual state then. Until then, and if more are far, all count, and the interval is as
  /// wide as they are apart: a block that has two states as often has no number.
  Estimate estimate() const;
  /// What the estimate rests on.
  TimedRuns timed_runs() const;
  /// From at least kFewestPoints points too.
  Steadiness steadiness() const;

  /// What readings were scaled by, and the canary's slowdown, over the same series.
  CyclesPerReading ratio() const;
  double slowdown() const;

  /// All series so far.
  std::span<const SeriesPoint> points() const { return points_; }

 private:
  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  void find_near_points();
  double ratio_half_width() const;

  Round round_;
  SizesInCopies sizes_;
  Companions& companions_;
  std::vector<SeriesPoint> points_;
  std::vector<SeriesPoint> near_;  ///< those that estimate() counts
  int series_ = 0;
};

}  // namespace assay
