#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace SQLite {
class Database;
}

namespace assay {

/// A table, as rows of other stores are taken into it.
struct MergedTable {
  std::string_view name;
  std::vector<std::string_view> keys;    ///< columns that tell a row from another
  std::vector<std::string_view> values;  ///< the other columns
  /// Of two rows with the same keys, the one with the greater rank is kept: SQL expressions, the
  /// first of which counts most, with "{}" for the row's name. None may be NULL; together they
  /// tell any two rows apart that differ in anything, so that no order of the stores matters.
  std::vector<std::string_view> rank;
};

/// Copies `count` columns of the row on which `row` stands, from `column` on, to the statement's
/// parameters from `index` on. They are valid as long as the row is.
void bind_columns(SQLite::Statement& statement, int index, SQLite::Statement& row, int column,
                  int count);

/// Takes rows into one table; for results/*.cpp alone. A row is given by the values of its first
/// keys, `own`, and those of its other keys and all values, the columns of `row` from `column` on.
/// Throws SQLite::Exception.
class RowMerger {
 public:
  using Own = std::initializer_list<std::int64_t>;
  enum class Presence { kMissing, kSame, kOther };

  /// `database` must outlive it.
  RowMerger(SQLite::Database& database, const MergedTable& table);
  /// What the table has under the row's keys: nothing, the same values or others.
  Presence find(Own own, SQLite::Statement& row, int column);
  /// Whether the row was taken, as there was none with its keys or one of less rank.
  bool take(Own own, SQLite::Statement& row, int column);

 private:
  void bind(SQLite::Statement& statement, Own own, SQLite::Statement& row, int column) const;

  int columns_;
  SQLite::Statement find_;
  SQLite::Statement upsert_;
};

}  // namespace assay
