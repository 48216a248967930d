#pragma once

#include <fmt/ranges.h>
#include <algorithm>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/fields.h"
#include "results/store/query.h"

// Rows of described structs: each field is a column of the same name. For results/ only.

namespace assay {

/// The names of the columns that hold a T, with commas between.
template <Described T>
std::string columns_of() {
  return fmt::format("{}", fmt::join(field_names<T>(), ", "));
}

/// `count` parameters from number `first` on: "?1, ?2, ...".
std::string parameters(std::size_t count, std::size_t first = 1);

/// The T whose columns, as columns_of() names them, begin at `column` of the row. Throws InputError
/// for a word that this version of assay does not know.
template <Described T>
T read_row(const Query& row, int column) {
  static const std::vector<std::string_view> kNames = field_names<T>();
  T value;
  set_fields(value, [&](std::string_view name) {
    return row.value(column + static_cast<int>(std::ranges::find(kNames, name) - kNames.begin()));
  });
  return value;
}

}  // namespace assay
