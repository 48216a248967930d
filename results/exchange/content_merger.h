#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace assay {

/// Takes all rows of other stores into one. Rows are told apart by what they say, never by an id;
/// of two outcomes of a block under one notion in one campaign a final one is kept before one that
/// is not, then the newer, then the greater in a fixed order of all their columns and events. A
/// recheck is kept only beside the measurement that it was made of. So the stores may come in
/// any order, and one that comes again changes nothing.
class ContentMerger {
 public:
  /// `database` must outlive it, and be of kSchemaVersion. `between_rows` is called now and then;
  /// what it throws ends the merging.
  ContentMerger(SQLite::Database& database, std::function<void()> between_rows);
  ~ContentMerger();
  ContentMerger(const ContentMerger&) = delete;
  ContentMerger& operator=(const ContentMerger&) = delete;

  /// What became of a store's outcomes: new ones, those taken in place of others, and those that
  /// were there already, or others in place of them.
  struct Counts {
    std::int64_t added = 0;
    std::int64_t replaced = 0;
    std::int64_t known = 0;
  };
  /// `other` must be of kSchemaVersion. Throws SQLite::Exception; it is for the caller to have a
  /// transaction around it.
  Counts take(SQLite::Database& other);

 private:
  class Tables;
  std::unique_ptr<Tables> tables_;
};

}  // namespace assay
