#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace assay {

/// Takes all rows of other stores into one. Rows are identified by their content, never by an id.
/// Of two outcomes of a block under one notion in one campaign, a settled one is preferred to one
/// that is not, then one whose reason cannot be the moment's (may_pass()), such as a value, then
/// the newer one, then the greater one in a fixed order of all their columns and lists. A recheck
/// is kept only beside the measurement that it was made of. Therefore the stores may come in any
/// order, and a store that comes again changes nothing.
class ContentMerger {
 public:
  /// `database` must outlive the merger, and be of kSchemaVersion. `between_rows` is called between
  /// rows; what it throws ends the merging.
  ContentMerger(SQLite::Database& database, std::function<void()> between_rows);
  ~ContentMerger();
  ContentMerger(const ContentMerger&) = delete;
  ContentMerger& operator=(const ContentMerger&) = delete;

  /// What became of a store's outcomes.
  struct Counts {
    std::int64_t added = 0;     ///< new ones
    std::int64_t replaced = 0;  ///< taken in place of others
    std::int64_t known = 0;     ///< not taken: they, or ones preferred to them, were there already
  };
  /// Takes the rows of another store, which must be of kSchemaVersion. Throws SQLite::Exception.
  /// The caller must have begun a transaction.
  Counts take(SQLite::Database& other);

 private:
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace assay
