#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/round.h"
#include "profiler/sampling/series_point.h"

namespace assay {

/// What the samples say about the steady state: whether the copies behind the middle size take as
/// long as those from the smallest size to it. The value is made of all of these.
struct Steadiness {
  double first_cycles = 0;    ///< cycles per copy, from the smallest to the middle size
  double further_cycles = 0;  ///< cycles per copy, from the middle to the largest size
  double half_width = 0;      ///< half of the 95 % interval around the difference of the two

  double difference() const;  ///< without its sign
};

enum class SteadyState {
  kReached,     ///< the difference is small, and its interval is narrow enough to know that
  kDoubtful,    ///< the difference is surely not small, but not surely too large either
  kNotReached,  ///< the difference is surely too large
  kUnknown,     ///< more samples are needed to tell
};

/// Judges the difference of the copies up to the middle size and those behind it, in sampling
/// targets (the half-width that sampling aims at). The steady state is doubtful if the difference
/// is surely more than two of them, not reached if it is surely more than four, and reached if it
/// is surely less than four and not doubtful, so that no difference passes by the scatter of the
/// samples. The value, the mean of both, differs from the steady state by less than that: see
/// Estimator::estimate() for what its interval holds of it.
SteadyState steady_state(const Steadiness& steadiness, const Settings& settings);

/// Whether the half-width is at most this share of the value, or at most this number of cycles.
bool is_narrow(const Estimate& estimate, double relative, double cycles);

/// The fewest series of a block that is run at one alignment only; fewer do not show how series
/// scatter.
inline constexpr int kFewestSeries = 6;

/// The number of copies of a block at three sizes, in ascending order.
using SizesInCopies = std::array<Copies, kMostSizes>;
/// The copies at the sizes of a plan, which must have three.
SizesInCopies sizes_in_copies(const Plan& plan);
/// The same at each alignment, in a pass over them.
std::vector<SizesInCopies> sizes_at_alignments(const Plan& plan, std::size_t alignments,
                                               std::uint32_t pass = 0);

/// Turns a block's samples at three sizes into an estimate. Readings come in as series of
/// interleaved rounds. A series is the unit of all statistics, whatever is in it: its readings
/// share the state of the core at that time. The alignments of a block may be divided into several
/// parts (strata), each of which is run by series of its own.
class Estimator {
 public:
  /// `companions` must outlive the estimator.
  Estimator(const SizesInCopies& sizes, Companions& companions, std::size_t strata = 1)
      : Estimator(std::vector<SizesInCopies>{sizes}, companions, strata) {}
  /// The same where alignments have sizes of their own, in the same proportions.
  Estimator(std::vector<SizesInCopies> sizes, Companions& companions, std::size_t strata);

  /// The next series are of these sizes, in the same proportions; and copies begin at these places
  /// (SeriesPoint::place), one for each alignment, if there are any.
  void run_at(std::vector<SizesInCopies> sizes, std::vector<std::size_t> places = {}) {
    sizes_ = std::move(sizes);
    places_ = std::move(places);
  }

  /// Takes in a series of a stratum if nothing disturbed it. `readings` are ordered by round; there
  /// are none if they were lost with the core. `retried` is noted in its points.
  SeriesFate add_series(const Round& round, std::span<const std::uint32_t> readings, bool preempted,
                        std::size_t stratum = 0, int retried = 0);

  /// How many series each stratum has had at least: which pass over them, from 0, the next series
  /// is of that next_stratum() gives.
  int passes() const { return std::ranges::min(series_of_); }
  /// The stratum that has had the fewest series so far.
  std::size_t next_stratum() const;
  /// Whether all strata have had equally many series.
  bool is_balanced() const;
  /// Whether there are enough series for an estimate: one of each stratum or, if there is only one
  /// stratum, kFewestSeries.
  bool is_ready() const;
  /// Whether the strata differ so much, by 5 % or more, or some series from all others, that it may
  /// be a state of the block that lasts for a series and not their alignments, and there are too
  /// few series to tell.
  bool is_doubtful() const;

  /// The number of series that were taken in, and how many of these estimate() counts: all of the
  /// time when each stratum had as many, except those far from the rest.
  int series() const { return static_cast<int>(series_.size()); }
  int count() const { return static_cast<int>(inliers().size()); }
  /// The number of all series, whether they were taken in or not.
  int tried() const { return tried_; }

  /// The estimate in cycles per copy, if is_ready() and next_stratum() gave each series its
  /// stratum. A series has the value
  ///
  ///     (mean(largest) - mean(smallest)) / (copies(largest) - copies(smallest)) * ratio,
  ///
  /// the mean over its alignments, so that nothing matters which ends before the smallest size
  /// does. The estimate is the mean over the strata of the means of their series. Its interval is
  /// Student's: by the scatter of the series within their strata or, while there is only one of
  /// each, or if is_doubtful(), by that of the strata, which is more if alignments differ; what the
  /// companions know of the scatter of series counts beside it (SeriesScatter). It is widened by a
  /// fifth because sampling ends when it is narrow, and is at least one standard error by the
  /// scatter of single readings. It is combined with the ratio's own error, and widened by half of
  /// the difference between the first and the further copies as far as that is sure, and by what
  /// somebody who is tolerated (Companions::tolerated_lately()) may have slowed the block.
  ///
  /// A series is an outlier if it is farther from the middle of the densest half of all than four
  /// standard errors of its own, 1 %, and four standard deviations as that half shows them. Of at
  /// least eight series, outliers are left out if they are at most one in five; or at most two in
  /// five if all are slower than the rest and no more than half of them, or two, lie close
  /// together: then they are not a state of the block, but disturbances that the canary did not
  /// see. Those of a stratum of which at least three of four series are outliers are kept: an
  /// alignment may be slow. Lines of data may come to lie badly in the cache
  /// (subject::Series::eviction_mask), and after an interrupt a core may run the same code in
  /// another state until the next one; the value is that of the usual state. Otherwise all count,
  /// and the interval is as wide as they are apart: a block with two states that are equally
  /// frequent has no number.
  Estimate estimate() const { return estimate(steadiness()); }
  /// The same, for who has its steadiness() already.
  Estimate estimate(const Steadiness& found) const;
  /// The variance of the cycles of one run within its series, the median over those of estimate().
  double run_variance() const;
  /// What copies take at each place, if there are kFewestOfPlace series there; ascending. The
  /// interval is Student's, by the scatter of these. Nothing unless two surely differ by 5 % or
  /// more.
  std::vector<CodePlacement> placements() const;
  static constexpr std::size_t kFewestOfPlace = 4;
  /// Whether the series of estimate() seem to be of two states: a cut through their values leaves
  /// less than a fifth of their variance (best_cut()), and does not go between strata: one in eight
  /// is on the other side than most of its stratum.
  bool has_states() const;
  /// The runs that the estimate rests on, and those that were left out.
  TimedRuns timed_runs() const;
  /// What is known of the steady state, if is_ready(). Its interval is Student's in the same way.
  Steadiness steadiness() const;

  /// The ratio that readings were scaled by, over the series of estimate().
  CyclesPerReading ratio() const;
  /// By how much the canary was surely slowed over these series: its mean less two standard errors.
  double slowdown() const;

  /// The points of all series so far, including those that were left out.
  std::span<const SeriesPoint> points() const { return points_; }

 private:
  /// A series that was taken in: the mean over its points. Of their companions, which all of its
  /// points share, it has those of the first.
  struct Series {
    std::size_t stratum = 0;
    SeriesPoint mean;
    double ratio_error = 0;  ///< as in CompanionReport
    double ratio_gain = 0;
  };

  SeriesPoint point(const Samples& samples, const CompanionReport& report) const;
  void learn_scatter();
  void find_inliers() const;
  const std::vector<Series>& inliers() const {
    find_inliers();
    return inliers_;
  }
  /// The values of the inliers, stratum by stratum.
  template <typename Function>
  std::vector<std::vector<double>> by_stratum(Function function) const;
  double further_cycles(const SeriesPoint& mean) const;
  std::vector<double> stratum_means() const;
  template <typename Function>
  double mean_of(Function function) const;
  double common_ratio_error() const;

  const SizesInCopies& sizes_at(std::size_t alignment) const {
    return sizes_[std::min(alignment, sizes_.size() - 1)];
  }

  std::vector<SizesInCopies> sizes_;  ///< of each alignment, or of all, in the next series
  std::vector<std::size_t> places_;   ///< likewise
  Companions& companions_;
  std::vector<SeriesPoint> points_;
  std::vector<Series> series_;  ///< those that were taken in
  std::size_t balanced_ = 0;    ///< how many of these, until each stratum had had as many
  std::vector<int> series_of_;  ///< how many series each stratum has had
  int tried_ = 0;               ///< number of all series
  // Found when they are asked for:
  mutable std::vector<Series> inliers_;  ///< those that estimate() counts
  mutable std::size_t found_of_ = 0;     ///< the number of series that they were found among
  mutable bool has_outliers_ = false;    ///< whether some of them are far from the others
};

}  // namespace assay
