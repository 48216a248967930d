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

/// Describes a table into which rows of other stores are taken. Its column `id` is left out, since
/// each store has ids of its own.
struct MergedTable {
  std::string_view name;
  std::vector<std::string_view> own_keys;  ///< columns with ids of the rows that a row belongs to
  std::vector<std::string_view> keys;      ///< the other columns that identify a row
  /// Of two rows with the same keys, the one with the greater rank is kept. The rank consists of
  /// SQL expressions that are never NULL, of which the first counts most, with "{}" for the row's
  /// name. All other columns follow, so that the order of the stores does not matter.
  std::vector<std::string> rank;
};

/// Takes rows of other stores into one table; for results/exchange only. A row is given by `own`,
/// the values that its own_keys have in this store, and by its columns() in another store. Throws
/// SQLite::Exception.
class RowMerger {
 public:
  using Own = std::initializer_list<std::int64_t>;
  enum class Presence { kMissing, kSame, kOther };

  /// `database` must outlive the merger.
  RowMerger(SQLite::Database& database, const MergedTable& table);
  /// The names of the columns that are taken from other stores, with commas between: all but
  /// own_keys.
  const std::string& columns() const { return columns_; }
  /// Whether the table has no row with these keys, one with the same values, or one with others.
  /// The values of columns() are in `row` from `column` on.
  Presence find(Own own, SQLite::Statement& row, int column);
  /// Takes the row if there is none with its keys, or one of lower rank; returns whether it did.
  /// The values of columns() are in `row` from `column` on.
  bool take(Own own, SQLite::Statement& row, int column);

 private:
  void bind(SQLite::Statement& statement, Own own, SQLite::Statement& row, int column) const;

  std::string columns_;
  int count_;  ///< number of own_keys and columns() together
  SQLite::Statement find_;
  SQLite::Statement upsert_;
};

}  // namespace assay
