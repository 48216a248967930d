#include "profiler/measurement/aggregate.h"

#include <algorithm>
#include <array>

#include "profiler/support/error.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kAggregateNames = {"min", "median", "avg"};

}  // namespace

std::string_view name(Aggregate aggregate) {
  return kAggregateNames.at(static_cast<std::size_t>(aggregate));
}

template <>
std::optional<Aggregate> named<Aggregate>(std::string_view wanted) {
  return value_named<Aggregate>(kAggregateNames, wanted);
}

std::span<const std::string_view> aggregate_names() { return kAggregateNames; }

std::vector<double> trimmed(std::vector<double> values, double share) {
  std::ranges::sort(values);
  const auto cut = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size()));
  return {values.begin() + cut, values.end() - cut};
}

double aggregated(Aggregate aggregate, std::vector<double> values) {
  switch (aggregate) {
    case Aggregate::kMinimum:
      return std::ranges::min(values);
    case Aggregate::kMedian:
      return median_in_place(values);
    case Aggregate::kMean:
      return mean(values);
  }
  throw Error("an aggregate outside its enumeration");
}

}  // namespace assay
