#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/sample.h"

namespace assay {

/// What a series showed of a block at one place. Cycles are core cycles per copy.
struct SeriesPoint {
  SeriesFate fate = SeriesFate::kTaken;
  std::size_t place = 0;
  double cycles = 0;               ///< from the smallest to the largest size
  double variance = 0;             ///< of `cycles`, as the scatter of its readings has it
  double near_cycles = 0;          ///< from n to 2n
  double far_cycles = 0;           ///< from there to the largest
  double cycles_per_addition = 0;  ///< of the canary
  double ratio = 0;                ///< core cycles per tick that it was scaled by
  double own_ratio = 0;            ///< by its own reference alone
  double own_ratio_error = 0;      ///< standard error of that, as a share of it
  std::int64_t kept = 0;           ///< timed runs of the block, without far outliers
  std::int64_t dropped = 0;        ///< these
};

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

/// The normal distribution's quantile of 97.5 %, for two-sided intervals of 95 %.
inline constexpr double kNormalQuantile = 1.96;
/// Student's t of 97.5 %, for two-sided intervals of 95 %. `freedom` >= 5: Cornish and Fisher's
/// expansion (Abramowitz and Stegun, "Handbook of Mathematical Functions", 26.7.5), within 1 %
/// there.
double student_quantile(double freedom);

/// What a block's samples mean. Readings come in as series of interleaved rounds.
class Estimator {
 public:
  /// Copies of the block at each size.
  struct Copies {
    double quarter, half, full;
  };
  /// The other arguments are those of Companions.
  Estimator(Round round, const Copies& copies, const ReadingStep& step, Canary& canary,
            ClockRatio& ratio, double tolerated_slowdown)
      : round_(std::move(round)),
        copies_(copies),
        companions_(step, canary, ratio, tolerated_slowdown) {}

  /// Takes in a series if nothing disturbed it: a point for each place at which the block ran in
  /// it. `readings`: round after round; none if they were lost with the core. If the clock drifted,
  /// those before are left out too.
  SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted);

  /// Points taken in, but for those that are far from the rest: see estimate().
  int count() const { return static_cast<int>(near_.size()); }
  /// Series that were taken in.
  int series() const { return series_; }

  /// Cycles per copy, from at least six points: of the values
  ///
  ///     (mean(full) - mean(quarter)) / (copies(full) - copies(quarter)) * core cycles per tick
  ///
  /// of each point, the mean. Its interval comes from their scatter (Student's t, and a tenth more
  /// since sampling ends when it is narrow; three tenths after more than one series), or from that
  /// of the single readings if that is wider, together with the ratio's own error.
  ///
  /// A point that is far from the median of all (six standard errors of its own, 3 %, and four
  /// standard deviations of all, as half of them have it) is left out if that is rare, among at
  /// least twenty points no more than one in five, unless three of four at its place are:
  /// lines of data may come to lie badly in the cache (subject::Series::eviction_mask), and after
  /// an interrupt a core may run the same code in another state until the next one. The value is
  /// that of the usual state then. Until then, and if more are far, all count, and the interval is
  /// as wide as they are apart: a block that has two states as often has no number.
  Estimate estimate() const;
  /// From at least six points too.
  Steadiness steadiness() const;

  /// Core cycles per tick, and the canary's slowdown, over the same series.
  double core_cycles_per_tick() const;
  double slowdown() const;

  /// All series so far.
  std::span<const SeriesPoint> points() const { return points_; }

 private:
  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  void find_near_points();
  double ratio_half_width() const;

  Round round_;
  Copies copies_;
  Companions companions_;
  std::vector<SeriesPoint> points_;
  std::vector<SeriesPoint> near_;  ///< those that estimate() counts
  int series_ = 0;
};

/// Of a plan of three sizes.
Estimator::Copies copies_of(const Plan& plan);

}  // namespace assay
