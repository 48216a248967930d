#include "results/exchange/row_merger.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "results/store/query.h"

namespace assay {
namespace {

/// Each of them put into the place that `pattern` has for it, with commas between.
std::string listed(const std::vector<std::string_view>& words, std::string_view pattern) {
  std::vector<std::string> all;
  for (const std::string_view word : words) {
    all.push_back(fmt::format(fmt::runtime(pattern), word));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string ranked(const MergedTable& table, std::string_view row) {
  std::vector<std::string> all;
  for (const std::string_view expression : table.rank) {
    all.push_back(fmt::format(fmt::runtime(expression), row));
  }
  return fmt::format("({})", fmt::join(all, ", "));
}

/// "?1, ?2, ..." from the first-th parameter on.
std::string places(std::size_t first, std::size_t count) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(fmt::format("?{}", first + i));
  return fmt::format("{}", fmt::join(all, ", "));
}

std::string search_of(const MergedTable& table) {
  return fmt::format("SELECT ({}) IS ({}) FROM {} WHERE ({}) = ({})", fmt::join(table.values, ", "),
                     places(table.keys.size() + 1, table.values.size()), table.name,
                     fmt::join(table.keys, ", "), places(1, table.keys.size()));
}

std::string upsert_of(const MergedTable& table) {
  return fmt::format(
      "INSERT INTO {0} ({1}, {2}) VALUES ({3}) ON CONFLICT ({1}) DO UPDATE SET {4} WHERE {5} > {6}",
      table.name, fmt::join(table.keys, ", "), fmt::join(table.values, ", "),
      places(1, table.keys.size() + table.values.size()),
      listed(table.values, "{0} = excluded.{0}"), ranked(table, "excluded"),
      ranked(table, table.name));
}

}  // namespace

void bind_columns(SQLite::Statement& statement, int index, SQLite::Statement& row, int column,
                  int count) {
  for (const int end = column + count; column < end; ++column, ++index) {
    const SQLite::Column value = row.getColumn(column);
    if (value.isNull()) {
      statement.bind(index);
    } else if (value.isInteger()) {
      statement.bind(index, value.getInt64());
    } else if (value.isFloat()) {
      statement.bind(index, value.getDouble());
    } else if (value.isText()) {
      statement.bind(index, value.getString());
    } else {
      // A blob of no bytes has no address either, which SQLite would take for NULL.
      const void* data = value.getBytes() == 0 ? "" : value.getBlob();
      statement.bindNoCopy(index, data, value.getBytes());
    }
  }
}

RowMerger::RowMerger(SQLite::Database& database, const MergedTable& table)
    : columns_(static_cast<int>(table.keys.size() + table.values.size())),
      find_(database, search_of(table)),
      upsert_(database, upsert_of(table)) {}

RowMerger::Presence RowMerger::find(Own own, SQLite::Statement& row, int column) {
  bind(find_, own, row, column);
  const Query found(find_);
  if (!find_.executeStep()) return Presence::kMissing;
  return found.integer(0) != 0 ? Presence::kSame : Presence::kOther;
}

bool RowMerger::take(Own own, SQLite::Statement& row, int column) {
  bind(upsert_, own, row, column);
  const Query reset_afterwards(upsert_);
  return upsert_.exec() > 0;
}

void RowMerger::bind(SQLite::Statement& statement, Own own, SQLite::Statement& row,
                     int column) const {
  int index = 0;
  for (const std::int64_t value : own) statement.bind(++index, value);
  bind_columns(statement, index + 1, row, column, columns_ - index);
}

}  // namespace assay
