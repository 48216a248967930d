#include "profiler/sampling/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace assay {
namespace {

// Sampling goes on until the interval is narrow, so it ends sooner where few points lie close
// together by chance: 91 % of the intervals of made-up series that scatter by 1 % held the truth,
// 94 % do with this factor.
constexpr double kStopping = 1.1;
// Of a block that took more than one series. Where it was looked at again and again, and where each
// series has a little of its own, 7.6 % of the differences of real values from another try's were
// larger than their intervals allow in one of twenty cases; of blocks of one series 5.5 %.
constexpr double kStoppingLater = 1.3;

/// The mean of a function of each point, and half of the 95 % interval around it as the scatter has
/// it.
struct Spread {
  double mean;
  double half_width;
};

template <typename Function>
Spread spread_of(std::span<const SeriesPoint> points, Function function) {
  const auto count = static_cast<double>(points.size());
  double sum = 0;
  for (const SeriesPoint& point : points) sum += function(point);
  const double mean = sum / count;
  double squares = 0;
  for (const SeriesPoint& point : points) {
    squares += (function(point) - mean) * (function(point) - mean);
  }
  return {mean, student_quantile(count - 1) * std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

bool is_steady(const Steadiness& steadiness, const Settings& settings) {
  const double target =
      std::max(settings.target_relative * steadiness.far_cycles, settings.target_cycles);
  return std::abs(steadiness.far_cycles - steadiness.near_cycles) <=
         steadiness.half_width + target / steadiness.near_share;
}

double student_quantile(double freedom) {
  const double z = kNormalQuantile;
  const double z3 = z * z * z;
  const double z5 = z3 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom);
}

SeriesFate Estimator::add_series(std::span<const std::uint32_t> readings, bool preempted) {
  if (readings.empty()) {
    points_.push_back({.fate = SeriesFate::kPreempted});
    return SeriesFate::kPreempted;
  }
  const std::vector<Samples> places = by_place(round_, readings);
  const CompanionReport report = companions_.judge(places.front(), preempted);
  for (std::size_t place = 0; place < places.size(); ++place) {
    points_.push_back(point(places[place], report));
    points_.back().place = place;
  }
  if (report.fate == SeriesFate::kTaken) {
    ++series_;
    find_near_points();
  }
  if (report.fate == SeriesFate::kDrifted) {
    // The speed may have changed at any time since: all begins anew.
    for (SeriesPoint& point : points_) {
      if (point.fate == SeriesFate::kTaken) point.fate = SeriesFate::kDrifted;
    }
    near_.clear();
    series_ = 0;
  }
  return report.fate;
}

SeriesPoint Estimator::point(const Samples& samples, const CompanionReport& report) const {
  const auto reduce = [&](Slot slot) {
    return robust_mean(samples[static_cast<std::size_t>(slot)], companions_.step().whole);
  };
  const SampleMean quarter = reduce(Slot::kQuarter);
  const SampleMean half = reduce(Slot::kHalf);
  const SampleMean full = reduce(Slot::kFull);
  const double ratio = report.ratio;
  const double scale = ratio / (copies_.full - copies_.quarter);
  SeriesPoint point;
  point.cycles = (full.mean - quarter.mean) * scale;
  point.variance = (full.variance + quarter.variance) * scale * scale;
  point.near_cycles = (half.mean - quarter.mean) * ratio / (copies_.half - copies_.quarter);
  point.far_cycles = (full.mean - half.mean) * ratio / (copies_.full - copies_.half);
  point.fate = report.fate;
  point.cycles_per_addition = report.cycles_per_addition;
  point.ratio = ratio;
  point.own_ratio = report.own_ratio;
  point.own_ratio_error = report.own_ratio_error;
  point.kept = quarter.kept + half.kept + full.kept;
  point.dropped = quarter.dropped + half.dropped + full.dropped;
  return point;
}

void Estimator::find_near_points() {
  constexpr double kErrors = 6;
  constexpr double kShare = 0.03;
  // Four standard deviations of normal scatter, so that it is not cut.
  constexpr double kDeviations = 4 * 1.4826;
  constexpr std::size_t kFewestToTell = 20;
  constexpr std::size_t kRarity = 5;
  std::vector<SeriesPoint> taken;
  std::ranges::copy_if(points_, std::back_inserter(taken),
                       [](const SeriesPoint& point) { return point.fate == SeriesFate::kTaken; });
  std::vector<double> values;
  for (const SeriesPoint& point : taken) values.push_back(point.cycles);
  const double center = median(values);
  for (double& value : values) value = std::abs(value - center);
  const double usual = std::max(kShare * center, kDeviations * median(std::move(values)));
  const auto is_near = [&](const SeriesPoint& point) {
    const double reach = std::max(kErrors * std::sqrt(point.variance), usual);
    return std::abs(point.cycles - center) <= reach;
  };
  // A place that is slow each time is no accident: it belongs to the mean.
  const std::size_t places = 1 + std::ranges::max(taken, {}, &SeriesPoint::place).place;
  std::vector<int> near_at(places);
  std::vector<int> all_at(places);
  for (const SeriesPoint& point : taken) {
    ++all_at[point.place];
    if (is_near(point)) ++near_at[point.place];
  }
  near_.clear();
  std::ranges::copy_if(taken, std::back_inserter(near_), [&](const SeriesPoint& point) {
    return is_near(point) || 4 * near_at[point.place] <= all_at[point.place];
  });
  const std::size_t far = taken.size() - near_.size();
  const bool rare = taken.size() >= kFewestToTell && kRarity * far <= taken.size();
  if (!rare) near_ = std::move(taken);
}

Estimate Estimator::estimate() const {
  const Spread spread = spread_of(near_, [](const SeriesPoint& point) { return point.cycles; });
  const auto count = static_cast<double>(near_.size());
  double variance = 0;
  std::int64_t kept = 0;
  std::int64_t all = 0;
  for (const SeriesPoint& point : near_) {
    variance += point.variance / (count * count);
    kept += point.kept;
  }
  for (const SeriesPoint& point : points_) all += point.kept + point.dropped;
  const double scatter = std::max((series_ > 1 ? kStoppingLater : kStopping) * spread.half_width,
                                  kNormalQuantile * std::sqrt(variance));
  const double scaling = ratio_half_width() * spread.mean;
  return {spread.mean, std::hypot(scatter, scaling), kept, all - kept};
}

/// Of the ratio, as a share of it: its own error, and by how much it surely differs from what these
/// series say themselves. A core that was slower or quicker a moment ago is found so.
double Estimator::ratio_half_width() const {
  const auto count = static_cast<double>(near_.size());
  double difference = 0;
  double variance = 0;  // of one series
  for (const SeriesPoint& point : near_) {
    difference += (point.own_ratio / point.ratio - 1) / count;
    variance += point.own_ratio_error * point.own_ratio_error / count;
  }
  const double half_width = kNormalQuantile * std::sqrt(variance / series_);
  const double surely = std::max(std::abs(difference) - half_width, 0.0);
  return std::hypot(kNormalQuantile * companions_.ratio_error(), surely);
}

Steadiness Estimator::steadiness() const {
  const Spread difference = spread_of(
      near_, [](const SeriesPoint& point) { return point.far_cycles - point.near_cycles; });
  const Spread far = spread_of(near_, [](const SeriesPoint& point) { return point.far_cycles; });
  return {far.mean - difference.mean, far.mean, difference.half_width,
          (copies_.half - copies_.quarter) / (copies_.full - copies_.quarter)};
}

double Estimator::core_cycles_per_tick() const {
  return spread_of(near_, [](const SeriesPoint& point) { return point.ratio; }).mean;
}

double Estimator::slowdown() const {
  return companions_.slowdown(
      spread_of(near_, [](const SeriesPoint& point) { return point.cycles_per_addition; }).mean);
}

Estimator::Copies copies_of(const Plan& plan) {
  const auto copies = [&](std::size_t i) {
    return static_cast<double>(plan.sizes.at(i) * plan.body_copies);
  };
  return {copies(0), copies(1), copies(2)};
}

}  // namespace assay
