#include "results/exchange/row_merger.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "results/store/query.h"
#include "results/store/row.h"

namespace assay {
namespace {

using Columns = std::vector<std::string>;

/// The table's columns in their order, without `id` and without generated columns.
Columns columns_of(SQLite::Database& database, std::string_view table) {
  SQLite::Statement select(database, "SELECT name FROM pragma_table_info(?1) WHERE name <> 'id'");
  Columns columns;
  for (Query row(select, table); row.next();) columns.push_back(row.text(0));
  return columns;
}

std::string joined(const Columns& columns) { return fmt::format("{}", fmt::join(columns, ", ")); }

/// The pattern with each of the words in place of its "{0}", with commas between.
std::string listed(const Columns& words, std::string_view pattern) {
  Columns all;
  for (const std::string& word : words) all.push_back(fmt::format(fmt::runtime(pattern), word));
  return joined(all);
}

/// A table's columns by what they are for.
struct Split {
  Columns own_keys, keys, values;
  Columns all_keys() const {
    Columns all = own_keys;
    all.insert(all.end(), keys.begin(), keys.end());
    return all;
  }
  Columns taken() const {
    Columns all = keys;
    all.insert(all.end(), values.begin(), values.end());
    return all;
  }
};

Split split(SQLite::Database& database, const MergedTable& table) {
  Split columns{{table.own_keys.begin(), table.own_keys.end()},
                {table.keys.begin(), table.keys.end()},
                columns_of(database, table.name)};
  const Columns keys = columns.all_keys();
  std::erase_if(columns.values, [&keys](const std::string& column) {
    return std::ranges::find(keys, column) != keys.end();
  });
  return columns;
}

std::string ranked(const MergedTable& table, const Columns& values, std::string_view row) {
  Columns all;
  for (const std::string& expression : table.rank) {
    all.push_back(fmt::format(fmt::runtime(expression), row));
  }
  for (const std::string& column : values) {
    // NULL would make the comparison NULL: minus infinity stands for it.
    all.push_back(fmt::format("ifnull({}.{}, -9e999)", row, column));
  }
  return joined(all);
}

std::string search_of(SQLite::Database& database, const MergedTable& table) {
  const Split columns = split(database, table);
  const std::size_t keys = columns.all_keys().size();
  return fmt::format("SELECT ({}) IS ({}) FROM {} WHERE ({}) = ({})", joined(columns.values),
                     parameters(columns.values.size(), keys + 1), table.name,
                     joined(columns.all_keys()), parameters(keys));
}

std::string upsert_of(SQLite::Database& database, const MergedTable& table) {
  const Split columns = split(database, table);
  const Columns keys = columns.all_keys();
  return fmt::format(
      "INSERT INTO {0} ({1}, {2}) VALUES ({3}) ON CONFLICT ({1}) DO UPDATE SET {4} "
      "WHERE ({5}) > ({6})",
      table.name, joined(keys), joined(columns.values),
      parameters(keys.size() + columns.values.size()), listed(columns.values, "{0} = excluded.{0}"),
      ranked(table, columns.values, "excluded"), ranked(table, columns.values, table.name));
}

/// Binds `count` columns of the row, from `column` on, to the statement's parameters from `index`
/// on. They are valid as long as the row is.
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

}  // namespace

RowMerger::RowMerger(SQLite::Database& database, const MergedTable& table)
    : columns_(joined(split(database, table).taken())),
      count_(static_cast<int>(table.own_keys.size() + split(database, table).taken().size())),
      find_(database, search_of(database, table)),
      upsert_(database, upsert_of(database, table)) {}

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
  bind_columns(statement, index + 1, row, column, count_ - index);
}

}  // namespace assay
