#include "profiler/cores/slowdown.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace assay {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"apart", "shared", "unsure"};

constexpr std::size_t kFour = 4;
constexpr std::size_t kFewestFours = 12;  // the extremes of 12 hold a median in all but 1 of 2048

/// Of the loaded stretches against the idle ones; nothing if one of them does not count.
std::optional<double> slowdown_of(std::span<const Stretch> four) {
  double idle = 0;
  double loaded = 0;
  for (const Stretch& stretch : four) {
    if (stretch.ratio <= 0) return std::nullopt;
    (stretch.loaded ? loaded : idle) += stretch.ratio;
  }
  return loaded / idle - 1;
}

std::vector<double> ordered_slowdowns(std::span<const Stretch> stretches) {
  std::vector<double> values;
  for (; stretches.size() >= kFour; stretches = stretches.subspan(kFour)) {
    if (const auto value = slowdown_of(stretches.first(kFour))) values.push_back(*value);
  }
  std::ranges::sort(values);
  return values;
}

/// The place, from either end, of the ordered values between which their median lies in 99.9 % of
/// all cases: so many of n values lie below it as heads fall in n throws of a coin, and that
/// number's normal approximation, with its correction of a half, is good enough from twelve on.
std::size_t place_of_bound(std::size_t count) {
  constexpr double kQuantile = 3.29;
  const auto n = static_cast<double>(count);
  return static_cast<std::size_t>(std::max(0.0, (n - 1 - kQuantile * std::sqrt(n)) / 2));
}

Sharing sharing_of(double share, double half_width) {
  if (share - half_width > kSharingBound) return Sharing::kShared;
  if (share + half_width < kSharingBound) return Sharing::kApart;
  return Sharing::kUnsure;
}

}  // namespace

std::string_view name(Sharing sharing) { return kNames.at(static_cast<std::size_t>(sharing)); }

Slowdown judge_slowdown(std::span<const Stretch> stretches) {
  const std::vector<double> values = ordered_slowdowns(stretches);
  const std::size_t count = values.size();
  if (count < kFewestFours) return {};
  const double median = (values[(count - 1) / 2] + values[count / 2]) / 2;
  const std::size_t place = place_of_bound(count);
  const double half_width = std::max(median - values[place], values[count - 1 - place] - median);
  return {median, half_width, sharing_of(median, half_width)};
}

}  // namespace assay
