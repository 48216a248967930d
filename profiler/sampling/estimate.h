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

/// Whether a block is in steady state: whether its last copies take as long as those before.
struct Steadiness {
  double first_cycles = 0;    ///< cycles per copy, from the smallest to the middle size
  double further_cycles = 0;  ///< cycles per copy, from the middle to the largest size
  double half_width = 0;      ///< half of the 95 % interval around the difference of the two
  double first_share = 0;     ///< share of the first copies among all that the estimate rests on
};

/// Whether the last copies take as long as those before. The difference may be as large as the
/// half-width of its interval, plus as much as shifts the estimate by the sampling target: only the
/// share of the first copies feels the difference.
bool is_steady(const Steadiness& steadiness, const Settings& settings);

/// Whether the half-width is at most this share of the value, or at most this number of cycles.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

/// The fewest points that an estimate is made from: fewer do not show how points scatter.
inline constexpr int kFewestPoints = 6;

/// The number of copies of a block at three sizes, in ascending order.
using SizesInCopies = std::array<Copies, kMostSizes>;
/// The copies at the sizes of a plan, which must have three.
SizesInCopies sizes_in_copies(const Plan& plan);

/// Turns a block's samples at three sizes into an estimate. Readings come in as series of
/// interleaved rounds.
class Estimator {
 public:
  /// `companions` must outlive the estimator.
  Estimator(Round round, const SizesInCopies& sizes, Companions& companions)
      : round_(std::move(round)), sizes_(sizes), companions_(companions) {}

  /// Takes in a series if nothing disturbed it: one point for each alignment at which the block
  /// ran. `readings` are ordered by round; there are none if they were lost with the core. If the
  /// clock drifted, earlier series are left out too.
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted);

  /// The number of points that estimate() counts: all that were taken in, except those far from the
  /// rest.
  int count() const { return static_cast<int>(inliers_.size()); }
  /// The number of series that were taken in.
  int series() const { return series_; }

  /// The estimate in cycles per copy, from at least kFewestPoints points. It is the mean over all
  /// points of the values
  ///
  ///     (mean(largest) - mean(smallest)) / (copies(largest) - copies(smallest)) * ratio
  ///
  /// Its interval comes from the scatter of these values (Student's t, widened by a tenth because
  /// sampling ends when the interval is narrow; by three tenths after more than one series), or
  /// from the scatter of single readings if that gives a wider one, combined with the ratio's own
  /// error.
  ///
  /// A point is an outlier if it is farther from the median of all than six standard errors of its
  /// own, 3 %, and four standard deviations of all points (by their median absolute deviation).
  /// Outliers are left out if they are rare: at most one in five of at least twenty points. Those
  /// at an alignment where at least three of four points are outliers are kept. Lines of data may
  /// come to lie badly in the cache (subject::Series::eviction_mask), and after an interrupt a core
  /// may run the same code in another state until the next one; the value is that of the usual
  /// state. With fewer points, or if outliers are not rare, all points count, and the interval is
  /// as wide as they are apart: a block with two states that are equally frequent has no number.
  Estimate estimate() const;
  /// The runs that the estimate rests on, and those that were left out.
  TimedRuns timed_runs() const;
  /// Whether the copies are in steady state; also from at least kFewestPoints points.
  Steadiness steadiness() const;

  /// The ratio that readings were scaled by, and the canary's slowdown, over the points of
  /// estimate().
  CyclesPerReading ratio() const;
  double slowdown() const;

  /// The points of all series so far, including those that were left out.
  std::span<const SeriesPoint> points() const { return points_; }

 private:
  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  void find_inliers();
  double ratio_half_width() const;

  Round round_;
  SizesInCopies sizes_;
  Companions& companions_;
  std::vector<SeriesPoint> points_;
  std::vector<SeriesPoint> inliers_;  ///< the points that estimate() counts
  int series_ = 0;
};

}  // namespace assay
