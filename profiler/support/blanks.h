#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

/// The characters that count as blanks within a line of text.
inline constexpr std::string_view kBlanks = " \t\r";

/// The text without blanks at either end.
inline std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace assay
