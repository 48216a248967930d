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

/// A table, as rows of other stores are taken into it. Ids are each store's own: `id` is left out.
struct MergedTable {
  std::string_view name;
  std::vector<std::string_view> own_keys;  ///< ids of rows that it belongs to
  std::vector<std::string_view> keys;      ///< the other columns that tell a row from another
  /// Of two rows with the same keys, the one with the greater rank is kept: SQL expressions that
  /// are never NULL, the first of which counts most, with "{}" for the row's name. All other
  /// columns follow, so that no order of the stores matters.
  std::vector<std::string> rank;
};

/// Takes rows into one table; for results/exchange alone. A row is given by `own`, the values of
/// the own keys in this store, and by columns() of another store. Throws SQLite::Exception.
class RowMerger {
 public:
  using Own = std::initializer_list<std::int64_t>;
  enum class Presence { kMissing, kSame, kOther };

  /// `database` must outlive it.
  RowMerger(SQLite::Database& database, const MergedTable& table);
  /// The names of the columns that are taken from other stores, with commas between: all but the
  /// own keys.
  const std::string& columns() const { return columns_; }
  /// What the table has under the row's keys: nothing, the same values or others. columns() stand
  /// in `row` from `column` on, here and below.
  Presence find(Own own, SQLite::Statement& row, int column);
  /// Whether the row was taken, as there was none with its keys or one of less rank.
  bool take(Own own, SQLite::Statement& row, int column);

 private:
  void bind(SQLite::Statement& statement, Own own, SQLite::Statement& row, int column) const;

  std::string columns_;
  int count_;  ///< own keys and columns()
  SQLite::Statement find_;
  SQLite::Statement upsert_;
};

}  // namespace assay
