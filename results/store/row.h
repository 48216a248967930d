#pragma once

#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/support/fields.h"
#include "results/store/query.h"

// Rows of described structs: each field is a column of its name. For results/ alone.

namespace assay {

/// The columns that hold a T, with commas between.
template <Described T>
std::string columns_of() {
  return fmt::format("{}", fmt::join(field_names<T>(), ", "));
}

/// "?1, ?2, ..." up to the `count`-th parameter.
std::string parameters(std::size_t count);

/// The T whose columns, as columns_of() names them, begin at `column` of the row. Throws InputError
/// for what this version of assay does not know.
template <Described T>
T read_row(const Query& row, int column) {
  static const std::vector<std::string_view> kNames = field_names<T>();
  auto name = kNames.begin();
  T value;
  // Fields are asked for in the order of the columns, but for those that are only ever written.
  set_fields(value, [&](std::string_view wanted) {
    while (*name != wanted) ++name, ++column;
    return row.value(column);
  });
  return value;
}

}  // namespace assay
