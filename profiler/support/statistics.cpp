#include "profiler/support/statistics.h"

#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

// Without this, Boost's statistics would include parallel algorithms, whose library may be missing.
#define BOOST_NO_CXX17_HDR_EXECUTION
#include <boost/math/statistics/univariate_statistics.hpp>

namespace assay {
namespace {

double computed_student_quantile(std::size_t freedom) {
  constexpr double kUpper = 0.975;
  return boost::math::quantile(boost::math::students_t(static_cast<double>(freedom)), kUpper);
}

}  // namespace

double mean(std::span<const double> values) {
  return boost::math::statistics::mean(values.begin(), values.end());
}

double median(std::vector<double> values) { return median_in_place(values); }

double median_in_place(std::span<double> values) {
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

double student_quantile(std::size_t freedom) {
  // A quantile takes some microseconds to compute, and sampling asks for it several times per
  // series.
  constexpr std::size_t kKept = 256;
  thread_local std::array<double, kKept> kept{};
  if (freedom >= kept.size()) return computed_student_quantile(freedom);
  if (kept[freedom] == 0) kept[freedom] = computed_student_quantile(freedom);
  return kept[freedom];
}

}  // namespace assay
