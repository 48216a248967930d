#include "profiler/sampling/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

// Widens the interval. Sampling goes on until the interval is narrow, so that it ends sooner if a
// few points lie close together by chance: of made-up series that scatter by 1 %, 91 % of the
// intervals held the truth without this factor, and 94 % do with it.
constexpr double kStopping = 1.1;
// Widens the interval of a block that took more than one series. Where sampling decided again and
// again whether to go on, and where each series has a deviation of its own, 7.6 % of the
// differences between real values and those of another try were larger than intervals allow in one
// of twenty cases; of blocks of one series 5.5 %.
constexpr double kStoppingLater = 1.3;

/// The mean of a function over all points, with the interval that its scatter gives.
template <typename Function>
MeanInterval mean_interval_of(std::span<const SeriesPoint> points, Function function) {
  std::vector<double> values(points.size());
  std::ranges::transform(points, values.begin(), function);
  return mean_interval(values);
}

template <typename Function>
double mean_of(std::span<const SeriesPoint> points, Function function) {
  std::vector<double> values(points.size());
  std::ranges::transform(points, values.begin(), function);
  return mean(values);
}

}  // namespace

bool is_steady(const Steadiness& steadiness, const Settings& settings) {
  const double target =
      std::max(settings.target_relative * steadiness.further_cycles, settings.target_cycles);
  return std::abs(steadiness.further_cycles - steadiness.first_cycles) <=
         steadiness.half_width + target / steadiness.first_share;
}

bool is_narrow(const Estimate& estimate, double relative, double cycles) {
  return estimate.half_width <= std::max(relative * estimate.cycles, cycles);
}

SizesInCopies sizes_in_copies(const Plan& plan) {
  return {plan.copies(kSmallestSize), plan.copies(kMiddleSize), plan.copies(kLargestSize)};
}

SeriesFate Estimator::add_series(std::span<const std::uint32_t> readings, bool preempted) {
  if (readings.empty()) {
    points_.push_back({.fate = SeriesFate::kPreempted});
    return SeriesFate::kPreempted;
  }
  const std::vector<Samples> alignments = samples_by_alignment(round_, readings);
  const CompanionReport report = companions_.judge(alignments.front(), preempted);
  for (std::size_t alignment = 0; alignment < alignments.size(); ++alignment) {
    points_.push_back(point(alignments[alignment], report));
    points_.back().alignment = alignment;
  }
  if (report.fate == SeriesFate::kTaken) {
    ++series_;
    find_inliers();
  }
  if (report.fate == SeriesFate::kDrifted) {
    // The speed may have changed at any time since the latest series, so that all begins anew.
    for (SeriesPoint& point : points_) {
      if (point.fate == SeriesFate::kTaken) point.fate = SeriesFate::kDrifted;
    }
    inliers_.clear();
    series_ = 0;
  }
  return report.fate;
}

SeriesPoint Estimator::point(const Samples& samples, const CompanionReport& report) const {
  const auto reduce = [&](std::size_t size) {
    return robust_mean(samples.block[size], companions_.step().whole);
  };
  const SampleMean smallest = reduce(kSmallestSize);
  // The middle size only shows steadiness: the value comes from the smallest and the largest.
  const SampleMean middle = reduce(kMiddleSize);
  const SampleMean largest = reduce(kLargestSize);
  const auto cycles_per_copy = [&](const SampleMean& more, std::size_t more_size,
                                   const SampleMean& less, std::size_t less_size) {
    return (report.ratio * (more.mean - less.mean)).count() /
           (sizes_[more_size] - sizes_[less_size]).real();
  };
  const double scale = report.ratio.value() / (sizes_[kLargestSize] - sizes_[kSmallestSize]).real();
  SeriesPoint point;
  point.cycles = cycles_per_copy(largest, kLargestSize, smallest, kSmallestSize);
  point.variance = (largest.variance + smallest.variance) * scale * scale;
  point.first_cycles = cycles_per_copy(middle, kMiddleSize, smallest, kSmallestSize);
  point.further_cycles = cycles_per_copy(largest, kLargestSize, middle, kMiddleSize);
  point.fate = report.fate;
  point.cycles_per_addition = report.cycles_per_addition;
  point.ratio = report.ratio;
  point.own_ratio = report.own_ratio;
  point.own_ratio_error = report.own_ratio_error;
  point.kept = smallest.kept + middle.kept + largest.kept;
  point.dropped = smallest.dropped + middle.dropped + largest.dropped;
  return point;
}

void Estimator::find_inliers() {
  constexpr double kErrors = 6;
  constexpr double kShare = 0.03;
  // This is four standard deviations of normal scatter, so that normal scatter is not cut.
  constexpr double kDeviations = 4 * kDeviationOfNormal;
  constexpr std::size_t kFewestToTell = 20;
  constexpr std::size_t kRarity = 5;
  std::vector<SeriesPoint> taken;
  std::ranges::copy_if(points_, std::back_inserter(taken),
                       [](const SeriesPoint& point) { return point.fate == SeriesFate::kTaken; });
  std::vector<double> values;
  for (const SeriesPoint& point : taken) values.push_back(point.cycles);
  const double center = median(values);
  for (double& value : values) value = std::abs(value - center);
  const double usual = std::max(kShare * center, kDeviations * median_in_place(values));
  const auto is_inlier = [&](const SeriesPoint& point) {
    const double reach = std::max(kErrors * std::sqrt(point.variance), usual);
    return std::abs(point.cycles - center) <= reach;
  };
  // An alignment that is slow each time is no accident, and belongs to the mean.
  const std::size_t alignments = 1 + std::ranges::max(taken, {}, &SeriesPoint::alignment).alignment;
  std::vector<int> inliers_at(alignments);
  std::vector<int> all_at(alignments);
  for (const SeriesPoint& point : taken) {
    ++all_at[point.alignment];
    if (is_inlier(point)) ++inliers_at[point.alignment];
  }
  inliers_.clear();
  std::ranges::copy_if(taken, std::back_inserter(inliers_), [&](const SeriesPoint& point) {
    return is_inlier(point) || 4 * inliers_at[point.alignment] <= all_at[point.alignment];
  });
  const std::size_t outliers = taken.size() - inliers_.size();
  const bool rare = taken.size() >= kFewestToTell && kRarity * outliers <= taken.size();
  if (!rare) inliers_ = std::move(taken);
}

Estimate Estimator::estimate() const {
  const MeanInterval interval =
      mean_interval_of(inliers_, [](const SeriesPoint& point) { return point.cycles; });
  const auto points = static_cast<double>(inliers_.size());
  const double variance =
      mean_of(inliers_, [](const SeriesPoint& point) { return point.variance; }) / points;
  const double scatter = std::max((series_ > 1 ? kStoppingLater : kStopping) * interval.half_width,
                                  kNormalQuantile * std::sqrt(variance));
  const double scaling = ratio_half_width() * interval.mean;
  return {interval.mean, std::hypot(scatter, scaling)};
}

TimedRuns Estimator::timed_runs() const {
  std::int64_t kept = 0;
  std::int64_t all = 0;
  for (const SeriesPoint& point : inliers_) kept += point.kept;
  for (const SeriesPoint& point : points_) all += point.kept + point.dropped;
  return {kept, all - kept};
}

/// The half-width of the ratio's interval, as a share of the ratio: the ratio's own error, combined
/// with the difference from what these series say themselves, as far as that is sure. It shows a
/// core that was slower or quicker a moment ago.
double Estimator::ratio_half_width() const {
  const double difference = mean_of(inliers_, [](const SeriesPoint& point) {
    return point.own_ratio.value() / point.ratio.value() - 1;
  });
  const double variance = mean_of(inliers_, [](const SeriesPoint& point) {  // that of one series
    return point.own_ratio_error * point.own_ratio_error;
  });
  const double half_width = kNormalQuantile * std::sqrt(variance / series_);
  const double surely = std::max(std::abs(difference) - half_width, 0.0);
  return std::hypot(kNormalQuantile * companions_.ratio().relative_error(), surely);
}

Steadiness Estimator::steadiness() const {
  const MeanInterval difference = mean_interval_of(
      inliers_, [](const SeriesPoint& point) { return point.further_cycles - point.first_cycles; });
  const double further =
      mean_of(inliers_, [](const SeriesPoint& point) { return point.further_cycles; });
  return {further - difference.mean, further, difference.half_width,
          (sizes_[kMiddleSize] - sizes_[kSmallestSize]).real() /
              (sizes_[kLargestSize] - sizes_[kSmallestSize]).real()};
}

CyclesPerReading Estimator::ratio() const {
  return CyclesPerReading(
      mean_of(inliers_, [](const SeriesPoint& point) { return point.ratio.value(); }));
}

double Estimator::slowdown() const {
  return companions_.slowdown(
      mean_of(inliers_, [](const SeriesPoint& point) { return point.cycles_per_addition; }));
}

}  // namespace assay
