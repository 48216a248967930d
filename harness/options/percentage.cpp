#include "harness/options/percentage.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace assay {
namespace {

constexpr std::size_t kPlaces = 6;
constexpr std::int64_t kHundred = 100'000'000;  // in millionths

bool is_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<Percentage> Percentage::from(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view places = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() || whole.size() > 3 || !is_digits(whole) || places.size() > kPlaces ||
      !is_digits(places) || (point < text.size() && places.empty())) {
    return std::nullopt;
  }
  std::string digits = std::string(whole) + std::string(places);
  digits.append(kPlaces - places.size(), '0');
  std::int64_t millionths = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), millionths);
  if (millionths > kHundred) return std::nullopt;
  return Percentage(millionths);
}

bool Percentage::is_exceeded_by(std::int64_t part, std::int64_t whole) const {
  return part * kHundred > millionths_ * whole;
}

}  // namespace assay
