#include "profiler/cores/slowdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kSharingNames = {"apart", "shared", "unsure"};

constexpr std::size_t kFour = 4;
// The least and the greatest of 12 values enclose the median in all but 1 of 2048 cases.
constexpr std::size_t kFewestFours = 12;

/// The slowdown of the loaded slices against the idle ones; nothing if one of them does not count.
std::optional<double> slowdown_of(std::span<const TimeSlice> four) {
  double idle = 0;
  double loaded = 0;
  for (const TimeSlice& slice : four) {
    if (slice.ratio <= 0) return std::nullopt;
    (slice.loaded ? loaded : idle) += slice.ratio;
  }
  return loaded / idle - 1;
}

std::vector<double> ordered_slowdowns(std::span<const TimeSlice> slices) {
  std::vector<double> values;
  for (; slices.size() >= kFour; slices = slices.subspan(kFour)) {
    if (const auto value = slowdown_of(slices.first(kFour))) values.push_back(*value);
  }
  std::ranges::sort(values);
  return values;
}

/// The rank, from either end, of the ordered values that enclose the median in 99.9 % of all cases.
/// The number of values below the median has the distribution of the heads in n throws of a coin;
/// its normal approximation, with a continuity correction of a half, is good enough from twelve on.
std::size_t rank_of_bound(std::size_t count) {
  const auto n = static_cast<double>(count);
  return static_cast<std::size_t>(std::max(0.0, (n - 1 - kNormalQuantile999 * std::sqrt(n)) / 2));
}

Sharing sharing_of(double share, double half_width) {
  if (share - half_width > kSharingBound) return Sharing::kShared;
  if (share + half_width < kSharingBound) return Sharing::kApart;
  return Sharing::kUnsure;
}

}  // namespace

std::string_view name(Sharing sharing) {
  return kSharingNames.at(static_cast<std::size_t>(sharing));
}

Slowdown judge_slowdown(std::span<const TimeSlice> slices) {
  const std::vector<double> values = ordered_slowdowns(slices);
  const std::size_t count = values.size();
  if (count < kFewestFours) return {};
  const double middle = median(values);
  const std::size_t rank = rank_of_bound(count);
  const double half_width = std::max(middle - values[rank], values[count - 1 - rank] - middle);
  return {middle, half_width, sharing_of(middle, half_width)};
}

}  // namespace assay
