#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay {

// What assay computes from samples, by Boost.Math. Values may be in any unit; results are in the
// same unit, variances in its square. Each function says how many values it needs at least.

/// The mean of at least one value.
double mean(std::span<const double> values);

/// The median of at least one value; that of an even number is the mean of the middle two.
double median(std::vector<double> values);
/// The median, computed by changing the order of the values instead of copying them.
double median_in_place(std::span<double> values);

/// The mean of at least two values, and their sample variance: the sum of their squared distances
/// from the mean, divided by one less than their number.
struct MeanVariance {
  double mean = 0;
  double variance = 0;
};
MeanVariance mean_and_variance(std::span<const double> values);

/// A mean, and the half-width of the 95 % interval around it.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// The mean of at least two values that scatter independently, with Student's interval.
MeanInterval mean_interval(std::span<const double> values);

/// How close together at least two values lie, of which each has its own interval: the probability
/// that chance brings them as close, or closer (by the chi-squared distribution). 1 if one has no
/// width.
double closeness(std::span<const MeanInterval> values);

/// The mean of at least one value, each with its own interval. They are not weighted by their
/// intervals: what a few readings found seems surest where these happen to agree. Its half-width is
/// that of the mean of independent values with such intervals. If they scatter more than the
/// intervals allow (a chi-squared test at 5 %), it is Student's by their scatter alone, if that is
/// wider.
MeanInterval mean_of_intervals(std::span<const MeanInterval> values);

/// What is known of the variance of values before they are looked at: as much as so many degrees of
/// freedom more would show of it. Nothing if these are 0.
struct VariancePrior {
  double variance = 0;
  std::size_t freedom = 0;
};

/// The mean of the means of several strata, each of at least one value. Its interval is Student's:
/// by the scatter of the values around the means of their strata if each has two or more (Cochran,
/// "Sampling Techniques", on stratified random sampling); otherwise by the scatter of the strata's
/// means, of which there must be two. `prior` is that of a value within its stratum. It and the
/// scatter count by their degrees of freedom (the moderated t-statistic of Smyth, "Linear models
/// and empirical Bayes methods", Statistical Applications in Genetics and Molecular Biology 3,
/// 2004), unless the scatter is so much larger that chance explains it in one case of twenty at
/// most: then it counts alone.
MeanInterval stratified_interval(std::span<const std::vector<double>> strata,
                                 const VariancePrior& prior = {});

/// The shortest range that holds more than half of the values, of which there must be one: its
/// mean, and the standard deviation of normally distributed values whose range it would be
/// (Rousseeuw and Leroy, "A robust scale estimator based on the shortest half", Statistica
/// Neerlandica 42, 1988). Up to half of the values may be anything.
struct DensestHalf {
  double center = 0;
  double deviation = 0;
};
DensestHalf densest_half(std::vector<double> values);

/// Two groups of values, those below a number and all others.
struct TwoGroups {
  double cut = 0;
  /// The part of the sum of squared distances from the mean that is left if those in each group are
  /// taken from its own mean. On average over many samples, nothing is left of two clusters that
  /// are points, a quarter of an even distribution, and 36 % of a normal one.
  double left = 1;
};
/// The division of at least one value that leaves least; without one if all are the same.
TwoGroups best_cut(std::vector<double> values);

/// The quantile of Student's t for two-sided 95 % intervals. `freedom` is the degrees of freedom,
/// at least 1.
double student_quantile(std::size_t freedom);

/// The quantile of Fisher's F, the ratio of two variances of the same values with so many degrees
/// of freedom: `probability` of all ratios are smaller.
double fisher_quantile(double probability, std::size_t numerator, std::size_t denominator);

/// The normal distribution's quantiles for two-sided intervals of 95 % and of 99.9 %.
inline constexpr double kNormalQuantile = 1.959964;
inline constexpr double kNormalQuantile999 = 3.290527;

/// What the median absolute deviation of normally distributed values has to be multiplied by to
/// give their standard deviation (Rousseeuw and Croux, "Alternatives to the Median Absolute
/// Deviation", JASA 88, 1993).
inline constexpr double kDeviationOfNormal = 1.4826;

}  // namespace assay
