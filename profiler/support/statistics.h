#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

// What assay computes of samples, by Boost.Math. Values may be in any unit; the results are in the
// same one, a variance in its square. Each function says how many values it takes at least.

/// Of at least one value.
double mean(std::span<const double> values);

/// Of at least one value; of an even number the mean of the two in the middle.
double median(std::vector<double> values);
/// The same; changes the order of the values instead of copying them.
double median_in_place(std::span<double> values);

/// Of at least two values: their mean, and the sum of their squared distances from it, divided by
/// one less than their number.
struct MeanVariance {
  double mean = 0;
  double variance = 0;
};
MeanVariance mean_and_variance(std::span<const double> values);

/// A mean, and half of the 95 % interval around it.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// Of at least two values that scatter independently: the interval is Student's.
MeanInterval mean_interval(std::span<const double> values);

/// Student's t for two-sided intervals of 95 %. `freedom`: degrees of freedom, at least 1.
double student_quantile(std::size_t freedom);

/// The normal distribution's quantile for two-sided intervals of 95 %, and of 99.9 %.
inline constexpr double kNormalQuantile = 1.959964;
inline constexpr double kNormalQuantile999 = 3.290527;

/// The standard deviation of normally distributed values by their median absolute deviation
/// (Rousseeuw and Croux, "Alternatives to the Median Absolute Deviation", JASA 88, 1993).
inline constexpr double kDeviationOfNormal = 1.4826;

}  // namespace assay
