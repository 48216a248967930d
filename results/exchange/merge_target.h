#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <optional>

#include "results/store/store_file.h"

namespace assay {

/// The store that others are merged into: all of them or, whatever stops it, none. An existing
/// store is changed in one transaction. A new one is built in the same folder, under its name with
/// ".merging" appended, and gets its name when it is complete; a file that an earlier merge left
/// under that name because it was killed is thrown away. For results/exchange only.
class MergeTarget {
 public:
  /// Begins the transaction. Throws as Store::open does, and SQLite::Exception.
  explicit MergeTarget(const std::filesystem::path& path);
  /// Undoes everything, unless finish() was called.
  ~MergeTarget();
  MergeTarget(const MergeTarget&) = delete;
  MergeTarget& operator=(const MergeTarget&) = delete;

  SQLite::Database& database() { return *database_; }
  /// Commits. The database may be closed afterwards. Throws SQLite::Exception, and EnvironmentError
  /// if another file has got the new store's name meanwhile.
  void finish();

 private:
  void discard();

  std::filesystem::path path_;
  bool is_new_;
  StoreFile file_;
  std::optional<SQLite::Database> database_;
  bool finished_ = false;
};

}  // namespace assay
