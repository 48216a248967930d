#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/support/named.h"

namespace assay {

/// How several readings of one thing become one.
enum class Aggregate { kMinimum, kMedian, kMean };

/// As nanoBench calls them: min, median, avg.
std::string_view name(Aggregate aggregate);
template <>
std::optional<Aggregate> named<Aggregate>(std::string_view name);
std::span<const std::string_view> aggregate_names();

/// The values in order, without this share of them, rounded down, at either end. `share` in [0,
/// 0.5); at least one value is left.
std::vector<double> trimmed(std::vector<double> values, double share);

/// Of at least one value. The median of an even number is the mean of the two in the middle.
double aggregated(Aggregate aggregate, std::vector<double> values);

}  // namespace assay
