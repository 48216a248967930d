#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "profiler/support/error.h"

namespace assay {

/// The value that a word of the store stands for. Throws InputError if this version of assay has no
/// value of that name.
template <typename Value>
Value known(const std::optional<Value>& value, const std::string& word) {
  if (value) return *value;
  throw InputError(fmt::format(
      "the store has a word that this assay does not know, '{}': use a newer assay", word));
}

}  // namespace assay
