#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/support/error.h"

namespace assay {

/// The value that a word in a store, in JSON or in an option stands for; nothing if there is none.
/// Each type with named values declares its specialization next to name(), which returns the word.
template <typename Value>
std::optional<Value> named(std::string_view word);

/// A word, or another value, that this assay does not know.
class UnknownWord : public InputError {
 public:
  using InputError::InputError;
};

/// The value that a word stands for, if only assay itself writes such words. Throws UnknownWord if
/// there is none.
template <typename Value>
Value known(std::string_view word) {
  if (const auto value = named<Value>(word)) return *value;
  throw UnknownWord(fmt::format(
      "'{}' is a word that this assay does not know: a newer one wrote it, or it is damaged",
      word));
}

/// Looks up a word for an enumeration that keeps its values' names in a table, in the order of the
/// values.
template <typename Value>
std::optional<Value> value_named(std::span<const std::string_view> names, std::string_view word) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

}  // namespace assay
