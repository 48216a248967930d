#include "profiler/measurement/measurement.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace assay {
namespace {

constexpr std::array<std::string_view, 2> kNotionNames = {"unrolled", "looped"};

}  // namespace

bool alike(const Estimate& one, const Estimate& other) {
  constexpr double kIntervals = 1.5;
  constexpr double kRelative = 0.01;
  constexpr double kCycles = 0.01;
  const double allowed = std::max({kIntervals * std::hypot(one.half_width, other.half_width),
                                   kRelative * std::min(one.cycles, other.cycles), kCycles});
  return std::abs(one.cycles - other.cycles) <= allowed;
}

std::string_view name(Notion notion) { return kNotionNames.at(static_cast<std::size_t>(notion)); }

template <>
std::optional<Notion> named<Notion>(std::string_view word) {
  return value_named<Notion>(kNotionNames, word);
}

}  // namespace assay
