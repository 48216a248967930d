#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/support/error.h"

namespace assay {

/// The value that a word of a store, of JSON or of an option stands for; nothing if there is none.
/// Each type that has names declares its specialization beside name(), which gives the word.
template <typename Value>
std::optional<Value> named(std::string_view word);

/// A word that this assay does not know.
class UnknownWord : public InputError {
 public:
  using InputError::InputError;
};

/// The same where only assay itself writes the word. Throws UnknownWord if there is none.
template <typename Value>
Value known(std::string_view word) {
  if (const auto value = named<Value>(word)) return *value;
  throw UnknownWord(fmt::format(
      "'{}' is a word that this assay does not know: a newer one wrote it, or it is damaged",
      word));
}

/// For enumerations that keep the names of their values in a table, in the values' order.
template <typename Value>
std::optional<Value> value_named(std::span<const std::string_view> names, std::string_view word) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) return std::nullopt;
  return static_cast<Value>(found - names.begin());
}

}  // namespace assay
