#pragma once

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <string_view>

namespace assay {

/// A number with the word for what it counts, for people: "1 copy", "2 copies".
template <std::integral Number>
std::string counted(Number number, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", number, number == 1 ? one : several);
}

/// The same with a word whose plural has an s behind it: "1 block", "2 blocks".
template <std::integral Number>
std::string counted(Number number, std::string_view one) {
  return counted(number, one, std::string(one) + 's');
}

}  // namespace assay
