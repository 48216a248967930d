#pragma once

#include <fmt/ranges.h>

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
  auto name = kNames.begin();
  T value;
  // set_fields() asks for the fields in the order of the columns, but leaves out those that are
  // only ever written: their columns are skipped.
  set_fields(value, [&](std::string_view wanted) {
    while (*name != wanted) ++name, ++column;
    return row.value(column);
  });
  return value;
}

}  // namespace assay
