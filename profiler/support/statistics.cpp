#include "profiler/support/statistics.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

// Without this, Boost's statistics would include parallel algorithms, whose library may be missing.
#define BOOST_NO_CXX17_HDR_EXECUTION
#include <boost/math/statistics/univariate_statistics.hpp>

namespace assay {
namespace {

constexpr double kConfidence = 0.95;

double computed_student_quantile(std::size_t freedom) {
  constexpr double kUpper = 0.975;
  return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), kUpper);
}

/// Half of the interval around a mean whose variance is `variance` by the scatter of values with
/// `freedom`, and `share` of the variance of a value by what is known of that.
double half_width(double variance, std::size_t freedom, double share, const VariancePrior& prior) {
  const double known = share * prior.variance;
  const bool allowed =
      prior.freedom > 0 && variance <= known * fisher_quantile(kConfidence, freedom, prior.freedom);
  if (!allowed) return student_quantile(freedom) * std::sqrt(variance);
  const auto before = static_cast<double>(prior.freedom);
  const auto shown = static_cast<double>(freedom);
  return student_quantile(freedom + prior.freedom) *
         std::sqrt((before * known + shown * variance) / (before + shown));
}

}  // namespace

double mean(std::span<const double> values) {
  return boost::math::statistics::mean(values.begin(), values.end());
}

double median(std::vector<double> values) { return median_in_place(values); }

double median_in_place(std::span<double> values) {
  // The few readings of a kernel in a series are sorted, without branches, which would be foretold
  // wrongly half of the time.
  constexpr std::size_t kFew = 8;
  if (values.size() <= kFew) {
    for (std::size_t end = values.size(); end > 1; --end) {
      for (std::size_t i = 1; i < end; ++i) {
        const auto [less, more] = std::pair(values[i - 1], values[i]);
        values[i - 1] = std::min(less, more);
        values[i] = std::max(less, more);
      }
    }
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  }
  return boost::math::statistics::median(values.begin(), values.end());
}

MeanVariance mean_and_variance(std::span<const double> values) {
  const auto [mean, variance] =
      boost::math::statistics::mean_and_sample_variance(values.begin(), values.end());
  return {mean, variance};
}

MeanInterval mean_interval(std::span<const double> values) {
  const auto [mean, variance] = mean_and_variance(values);
  const double error = std::sqrt(variance / static_cast<double>(values.size()));
  return {mean, student_quantile(values.size() - 1) * error};
}

double closeness(std::span<const MeanInterval> values) {
  double middle = 0;
  for (const MeanInterval& value : values)
    middle += value.mean / static_cast<double>(values.size());
  double deviation = 0;  // sum of the squared distances, in terms of each value's standard error
  for (const auto& [mean, half_width] : values) {
    if (half_width <= 0) return 1;
    deviation += std::pow(kNormalQuantile * (mean - middle) / half_width, 2);
  }
  const auto freedom = static_cast<double>(values.size() - 1);
  return boost::math::cdf(boost::math::chi_squared_distribution<>(freedom), deviation);
}

MeanInterval mean_of_intervals(std::span<const MeanInterval> values) {
  std::vector<double> means;
  double squares = 0;  // sum of the squared half-widths
  for (const auto& [mean, half_width] : values) {
    means.push_back(mean);
    squares += half_width * half_width;
  }
  const double own = std::sqrt(squares) / static_cast<double>(values.size());
  if (values.size() < 2 || closeness(values) <= kConfidence) return {mean(means), own};
  const MeanInterval by_scatter = mean_interval(means);
  return {by_scatter.mean, std::max(own, by_scatter.half_width)};
}

MeanInterval stratified_interval(std::span<const std::vector<double>> strata,
                                 const VariancePrior& prior) {
  std::vector<double> means;
  double squares = 0;         // sum of squared distances from the means of the strata
  double inverse_counts = 0;  // sum of 1 / (number of values in a stratum)
  std::size_t freedom = 0;
  bool scatter_within = true;
  for (const std::vector<double>& values : strata) {
    const auto count = static_cast<double>(values.size());
    inverse_counts += 1 / count;
    if (values.size() < 2) {
      scatter_within = false;
      means.push_back(values.front());
      continue;
    }
    const auto [mean, variance] = mean_and_variance(values);
    means.push_back(mean);
    squares += variance * (count - 1);
    freedom += values.size() - 1;
  }
  const auto number = static_cast<double>(strata.size());
  const double of_mean = inverse_counts / (number * number);  // of the variance of a value
  if (scatter_within) {
    const double variance = squares / static_cast<double>(freedom);
    return {mean(means), half_width(of_mean * variance, freedom, of_mean, prior)};
  }
  const auto [mean, variance] = mean_and_variance(means);
  return {mean, half_width(variance / number, means.size() - 1, of_mean, prior)};
}

DensestHalf densest_half(std::vector<double> values) {
  // Half of normally distributed values lie within this many standard deviations.
  constexpr double kHalfOfNormal = 2 * 0.674490;
  std::ranges::sort(values);
  const std::size_t count = values.size() / 2 + 1;
  std::size_t best = 0;
  const auto length = [&](std::size_t first) { return values[first + count - 1] - values[first]; };
  for (std::size_t first = 1; first + count <= values.size(); ++first) {
    if (length(first) < length(best)) best = first;
  }
  return {mean(std::span(values).subspan(best, count)), length(best) / kHalfOfNormal};
}

TwoGroups best_cut(std::vector<double> values) {
  std::ranges::sort(values);
  const auto count = static_cast<double>(values.size());
  const double middle = mean(values);
  double all = 0;
  for (const double value : values) all += std::pow(value - middle, 2);
  TwoGroups best;
  double below = 0;  // the sum of the distances of those below the cut
  for (std::size_t i = 1; i < values.size(); ++i) {
    below += values[i - 1] - middle;
    if (values[i] == values[i - 1]) continue;
    const auto number = static_cast<double>(i);
    const double left = 1 - below * below * count / (number * (count - number)) / all;
    if (left < best.left) best = {values[i], left};
  }
  return best;
}

double student_quantile(std::size_t freedom) {
  // A quantile takes some microseconds to compute, and sampling asks for it several times per
  // series.
  constexpr std::size_t kKept = 256;
  thread_local std::array<double, kKept> kept{};
  if (freedom >= kept.size()) return computed_student_quantile(freedom);
  if (kept[freedom] == 0) kept[freedom] = computed_student_quantile(freedom);
  return kept[freedom];
}

double fisher_quantile(double probability, std::size_t numerator, std::size_t denominator) {
  // As for Student's: sampling asks again and again for the same few.
  thread_local std::map<std::tuple<double, std::size_t, std::size_t>, double> kept;
  double& value = kept[{probability, numerator, denominator}];
  if (value == 0) {
    value = boost::math::quantile(
        boost::math::fisher_f(static_cast<double>(numerator), static_cast<double>(denominator)),
        probability);
  }
  return value;
}

}  // namespace assay
