#include "profiler/sampling/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

// Widens the interval: sampling goes on until it is narrow, so that it ends sooner if a few series
// lie close together by chance.
constexpr double kStopping = 1.2;

// With fewer series of a stratum, chance may make it look slow each time.
constexpr int kFewestOfStratum = 4;

/// By how much strata or places differ, as a share, that do not just scatter.
constexpr double kDifference = 0.05;

/// Whether more than half of the values, three at least, lie within a range of twice `reach`.
bool is_cluster(std::vector<double> values, double reach) {
  std::ranges::sort(values);
  const std::size_t many = std::max<std::size_t>(values.size() / 2 + 1, 3);
  for (std::size_t i = 0; i + many <= values.size(); ++i) {
    if (values[i + many - 1] - values[i] <= 2 * reach) return true;
  }
  return false;
}

}  // namespace

double Steadiness::difference() const { return std::abs(further_cycles - first_cycles); }

SteadyState steady_state(const Steadiness& steadiness, const Settings& settings) {
  constexpr double kStillSmall = 2;  // in sampling targets
  constexpr double kTooLarge = 4;    // likewise
  const double target =
      std::max(settings.target_relative * steadiness.further_cycles, settings.target_cycles);
  const double least = steadiness.difference() - steadiness.half_width;
  if (least > kTooLarge * target) return SteadyState::kNotReached;
  if (least > kStillSmall * target) return SteadyState::kDoubtful;
  // What is not a number compares as false.
  const bool reached = steadiness.difference() + steadiness.half_width <= kTooLarge * target;
  return reached ? SteadyState::kReached : SteadyState::kUnknown;
}

bool is_narrow(const Estimate& estimate, double relative, double cycles) {
  return estimate.half_width <= std::max(relative * estimate.cycles, cycles);
}

SizesInCopies sizes_in_copies(const Plan& plan) {
  return {plan.copies(kSmallestSize), plan.copies(kMiddleSize), plan.copies(kLargestSize)};
}

std::vector<SizesInCopies> sizes_at_alignments(const Plan& plan, std::size_t alignments,
                                               std::uint32_t pass) {
  std::vector<SizesInCopies> sizes(alignments);
  for (std::size_t i = 0; i < alignments; ++i) {
    for (std::size_t size = 0; size < kMostSizes; ++size) {
      sizes[i][size] = plan.copies_at(i, size, pass);
    }
  }
  return sizes;
}

Estimator::Estimator(std::vector<SizesInCopies> sizes, Companions& companions, std::size_t strata)
    : sizes_(std::move(sizes)), companions_(companions), series_of_(strata) {}

SeriesFate Estimator::add_series(const Round& round, std::span<const std::uint32_t> readings,
                                 bool preempted, std::size_t stratum, int retried) {
  ++tried_;
  if (readings.empty()) {
    points_.push_back({.fate = SeriesFate::kPreempted});
    return SeriesFate::kPreempted;
  }
  const std::vector<Samples> alignments = samples_by_alignment(round, readings);
  const CompanionReport report = companions_.judge(alignments.front(), preempted);
  const auto count = static_cast<double>(alignments.size());
  Series series{.stratum = stratum,
                .mean = point(alignments.front(), report),
                .ratio_error = report.ratio_error,
                .ratio_gain = report.ratio_gain};
  series.mean.cycles = series.mean.first_cycles = 0;
  series.mean.variance = series.mean.difference_variance = series.mean.run_variance = 0;
  series.mean.kept = series.mean.dropped = 0;
  for (const Samples& samples : alignments) {
    const SeriesPoint next = point(samples, report);
    series.mean.cycles += next.cycles / count;
    series.mean.first_cycles += next.first_cycles / count;
    series.mean.variance += next.variance / (count * count);
    series.mean.difference_variance += next.difference_variance / (count * count);
    series.mean.run_variance += next.run_variance / count;
    series.mean.kept += next.kept;
    series.mean.dropped += next.dropped;
    points_.push_back(next);
    points_.back().retried = retried;
  }
  if (report.fate == SeriesFate::kTaken) {
    series_.push_back(series);
    ++series_of_[stratum];
    if (is_balanced()) balanced_ = series_.size();
    if (series_.size() == series_of_.size()) learn_scatter();
  }
  return report.fate;
}

SeriesPoint Estimator::point(const Samples& samples, const CompanionReport& report) const {
  // The stamps of a reading lie so that their errors cancel, up to about one step in all. A run
  // that the micro-op cache left for once takes less longer than the steps of all stamps together.
  const auto reduce = [&](std::size_t size) {
    return robust_mean(samples.block[size], companions_.step().part);
  };
  // Over all phases of a clock's step, a reading has a variance of a sixth of the step squared,
  // even if a few happen to be the same.
  const double step = companions_.step().part.count();
  const auto variance_of = [&](const SampleMean& sample) {
    return std::max(sample.variance, step * step / 6 / static_cast<double>(sample.kept));
  };
  const SampleMean smallest = reduce(kSmallestSize);
  const SampleMean middle = reduce(kMiddleSize);
  const SampleMean largest = reduce(kLargestSize);
  const SizesInCopies& sizes = sizes_at(samples.alignment);
  const auto cycles_per_copy = [&](const SampleMean& more, std::size_t more_size,
                                   const SampleMean& less, std::size_t less_size) {
    return (report.ratio * (more.mean - less.mean)).count() /
           (sizes[more_size] - sizes[less_size]).real();
  };
  const double scale = report.ratio.value() / (sizes[kLargestSize] - sizes[kSmallestSize]).real();
  const double first = report.ratio.value() / (sizes[kMiddleSize] - sizes[kSmallestSize]).real();
  const double further = report.ratio.value() / (sizes[kLargestSize] - sizes[kMiddleSize]).real();
  SeriesPoint point;
  point.alignment = samples.alignment;
  point.place = places_.empty() ? samples.alignment : places_.at(samples.alignment);
  point.cycles = cycles_per_copy(largest, kLargestSize, smallest, kSmallestSize);
  point.variance = (variance_of(largest) + variance_of(smallest)) * scale * scale;
  point.first_cycles = cycles_per_copy(middle, kMiddleSize, smallest, kSmallestSize);
  point.difference_variance = variance_of(smallest) * std::pow(first, 2) +
                              variance_of(middle) * std::pow(first + further, 2) +
                              variance_of(largest) * std::pow(further, 2);
  for (const SampleMean* size : {&smallest, &middle, &largest}) {
    point.run_variance += variance_of(*size) * static_cast<double>(size->kept) / kMostSizes;
  }
  point.run_variance *= report.ratio.value() * report.ratio.value();
  point.fate = report.fate;
  point.cycles_per_nop = report.cycles_per_nop;
  point.ratio = report.ratio;
  point.kept = smallest.kept + middle.kept + largest.kept;
  point.dropped = smallest.dropped + middle.dropped + largest.dropped;
  return point;
}

std::size_t Estimator::next_stratum() const {
  return static_cast<std::size_t>(std::ranges::min_element(series_of_) - series_of_.begin());
}

bool Estimator::is_balanced() const {
  const auto [least, most] = std::ranges::minmax(series_of_);
  return least == most;
}

bool Estimator::is_ready() const {
  const int fewest = series_of_.size() == 1 ? kFewestSeries : 1;
  return std::ranges::min(series_of_) >= fewest;
}

/// Finds the inliers among the series until all strata had as many. Those that were found for as
/// many series are the same.
void Estimator::find_inliers() const {
  constexpr double kErrors = 4;
  constexpr double kShare = 0.01;
  constexpr std::size_t kFewestToTell = 8;
  constexpr std::size_t kRarity = 5;
  if (found_of_ == balanced_) return;
  found_of_ = balanced_;
  const std::span all = std::span(series_).first(balanced_);
  std::vector<double> values;
  for (const Series& series : all) values.push_back(series.mean.cycles);
  const DensestHalf half = densest_half(values);
  const double usual = std::max(kShare * half.center, kErrors * half.deviation);
  const auto reach_of = [&](const Series& series) {
    return std::max(kErrors * std::sqrt(series.mean.variance), usual);
  };
  const auto is_inlier = [&](const Series& series) {
    return std::abs(series.mean.cycles - half.center) <= reach_of(series);
  };
  // A stratum that is slow each time is no accident, and belongs to the mean.
  std::vector<int> inliers_of(series_of_.size());
  for (const Series& series : all) inliers_of[series.stratum] += is_inlier(series);
  const int of_each = static_cast<int>(all.size() / series_of_.size());
  const auto is_slow_each_time = [&](std::size_t stratum) {
    return of_each >= kFewestOfStratum && 4 * inliers_of[stratum] <= of_each;
  };
  inliers_.clear();
  std::vector<int> left_of(series_of_.size());
  std::vector<double> outliers;
  for (const Series& series : all) {
    if (is_inlier(series) || is_slow_each_time(series.stratum)) {
      inliers_.push_back(series);
      ++left_of[series.stratum];
    } else {
      outliers.push_back(series.mean.cycles);
    }
  }
  const bool rare = kRarity * outliers.size() <= all.size();
  const bool noise =
      kRarity * outliers.size() <= 2 * all.size() &&
      std::ranges::all_of(outliers, [&](double value) { return value > half.center; }) &&
      !is_cluster(outliers, usual);
  const bool leaves_out =
      all.size() >= kFewestToTell && (rare || noise) && std::ranges::count(left_of, 0) == 0;
  if (!leaves_out) inliers_.assign(all.begin(), all.end());
  has_outliers_ = !std::ranges::all_of(inliers_, is_inlier);
}

std::vector<CodePlacement> Estimator::placements() const {
  std::map<std::size_t, std::vector<double>> by_place;
  for (const SeriesPoint& point : points_) {
    if (point.fate == SeriesFate::kTaken) by_place[point.place].push_back(point.cycles);
  }
  std::vector<CodePlacement> placements;
  for (const auto& [place, cycles] : by_place) {
    if (cycles.size() < kFewestOfPlace) continue;
    const MeanInterval found = mean_interval(cycles);
    placements.push_back({static_cast<std::int64_t>(place), found.mean, found.half_width});
  }
  if (placements.empty()) return {};
  const auto [least, most] = std::ranges::minmax(placements, {}, &CodePlacement::cycles);
  const double surely = most.cycles - least.cycles - most.half_width - least.half_width;
  return surely >= kDifference * least.cycles ? placements : std::vector<CodePlacement>();
}

bool Estimator::is_doubtful() const {
  if (std::ranges::min(series_of_) >= kFewestOfStratum) return false;
  const std::vector<double> means = stratum_means();
  const auto [least, most] = std::ranges::minmax(means);
  find_inliers();
  return has_outliers_ || most - least > kDifference * mean(means);
}

template <typename Function>
std::vector<std::vector<double>> Estimator::by_stratum(Function function) const {
  std::vector<std::vector<double>> strata(series_of_.size());
  for (const Series& series : inliers()) strata[series.stratum].push_back(function(series.mean));
  return strata;
}

std::vector<double> Estimator::stratum_means() const {
  std::vector<double> means;
  for (const auto& values : by_stratum([](const SeriesPoint& mean) { return mean.cycles; })) {
    means.push_back(mean(values));
  }
  return means;
}

template <typename Function>
double Estimator::mean_of(Function function) const {
  std::vector<double> values(inliers().size());
  std::ranges::transform(inliers(), values.begin(),
                         [&](const Series& series) { return function(series.mean); });
  return mean(values);
}

Estimate Estimator::estimate(const Steadiness& found) const {
  const double own_variance = mean_of([](const SeriesPoint& mean) { return mean.variance; });
  MeanInterval interval =
      stratified_interval(by_stratum([](const SeriesPoint& mean) { return mean.cycles; }),
                          companions_.value_scatter().prior(own_variance));
  if (is_doubtful() && series_of_.size() > 1) {
    const MeanInterval of_strata = mean_interval(stratum_means());
    interval.half_width = std::max(interval.half_width, of_strata.half_width);
  }
  const double stopping = inliers().size() > series_of_.size() ? kStopping : 1;
  const double scatter = std::max(stopping * interval.half_width,
                                  std::sqrt(own_variance / static_cast<double>(inliers().size())));
  const double scaling = kNormalQuantile * common_ratio_error() * interval.mean;
  const double shift = std::max(found.difference() - found.half_width, 0.0) / 2;
  const double slowed = companions_.tolerated_lately() * std::abs(interval.mean);
  return {interval.mean, std::hypot(scatter, scaling) + shift + slowed};
}

bool Estimator::has_states() const {
  constexpr double kLeft = 0.2;      // of the variance
  constexpr double kRarity = 0.125;  // of series on the other side than most of their stratum
  std::vector<double> values;
  for (const Series& series : inliers()) values.push_back(series.mean.cycles);
  const auto [cut, left] = best_cut(values);
  if (left >= kLeft) return false;
  std::vector<int> below(series_of_.size());
  std::vector<int> above(series_of_.size());
  for (const Series& series : inliers()) {
    ++(series.mean.cycles < cut ? below : above)[series.stratum];
  }
  int strange = 0;
  for (std::size_t i = 0; i < below.size(); ++i) strange += std::min(below[i], above[i]);
  return strange > kRarity * static_cast<double>(values.size());
}

double Estimator::run_variance() const {
  std::vector<double> variances(inliers().size());
  std::ranges::transform(inliers(), variances.begin(),
                         [](const Series& series) { return series.mean.run_variance; });
  return median_in_place(variances);
}

TimedRuns Estimator::timed_runs() const {
  std::int64_t kept = 0;
  std::int64_t all = 0;
  for (const Series& series : inliers()) kept += series.mean.kept;
  for (const SeriesPoint& point : points_) all += point.kept + point.dropped;
  return {kept, all - kept};
}

/// The standard error, as a share, that the series' ratios have in common. What they do not have in
/// common makes the series scatter.
double Estimator::common_ratio_error() const {
  double variance = 0;
  double gain = 0;
  for (const Series& series : inliers()) {
    variance += (1 - series.ratio_gain) * series.ratio_error * series.ratio_error;
    gain += series.ratio_gain;
  }
  // The errors of a filter in succession are an autoregression of order one: over many series,
  // their mean is as sure as one in as many as twice the reciprocal of the gain.
  return std::sqrt(variance / static_cast<double>(inliers().size()) / std::max(gain / 2, 1.0));
}

/// The cycles of a copy from the middle to the largest size.
double Estimator::further_cycles(const SeriesPoint& mean) const {
  const SizesInCopies& sizes = sizes_.front();
  const double first_share = (sizes[kMiddleSize] - sizes[kSmallestSize]).real() /
                             (sizes[kLargestSize] - sizes[kSmallestSize]).real();
  return (mean.cycles - first_share * mean.first_cycles) / (1 - first_share);
}

Steadiness Estimator::steadiness() const {
  const auto further = [&](const SeriesPoint& mean) { return further_cycles(mean); };
  const MeanInterval difference = stratified_interval(
      by_stratum([&](const SeriesPoint& mean) { return further(mean) - mean.first_cycles; }),
      companions_.difference_scatter().prior(
          mean_of([](const SeriesPoint& mean) { return mean.difference_variance; })));
  const double mean_of_further = stratified_interval(by_stratum(further)).mean;
  return {mean_of_further - difference.mean, mean_of_further, difference.half_width};
}

/// Lets the first series of each stratum show how series scatter.
void Estimator::learn_scatter() {
  if (series_.size() < 2) return;
  std::vector<double> values;
  std::vector<double> differences;
  double variance = 0;
  double difference_variance = 0;
  const auto count = static_cast<double>(series_.size());
  for (const Series& series : series_) {
    values.push_back(series.mean.cycles);
    differences.push_back(further_cycles(series.mean) - series.mean.first_cycles);
    variance += series.mean.variance / count;
    difference_variance += series.mean.difference_variance / count;
  }
  const std::size_t freedom = series_.size() - 1;
  companions_.value_scatter().learn(mean_and_variance(values).variance, freedom, variance);
  companions_.difference_scatter().learn(mean_and_variance(differences).variance, freedom,
                                         difference_variance);
}

CyclesPerReading Estimator::ratio() const {
  return CyclesPerReading(mean_of([](const SeriesPoint& mean) { return mean.ratio.value(); }));
}

double Estimator::slowdown() const {
  constexpr double kErrors = 2;
  std::vector<double> rates;
  for (const Series& series : inliers()) rates.push_back(series.mean.cycles_per_nop);
  const auto [mean, variance] = mean_and_variance(rates);
  const double error = std::sqrt(variance / static_cast<double>(rates.size()));
  return companions_.slowdown(mean - (rates.size() > 1 ? kErrors * error : 0));
}

}  // namespace assay
