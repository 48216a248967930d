#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/support/named.h"

namespace assay {

/// How several readings of the same thing become one value.
enum class Aggregate { kMinimum, kMedian, kMean };

/// The name that nanoBench gives it: min, median, avg.
std::string_view name(Aggregate aggregate);
template <>
std::optional<Aggregate> named<Aggregate>(std::string_view name);
std::span<const std::string_view> aggregate_names();

/// The values in order, without a share of them at either end; the number left out is rounded down.
/// `share` is in [0, 0.5), and at least one value is left.
std::vector<double> trimmed(std::vector<double> values, double share);

/// The aggregate of at least one value. The median of an even number is the mean of the middle two.
double aggregated(Aggregate aggregate, std::vector<double> values);

}  // namespace assay
