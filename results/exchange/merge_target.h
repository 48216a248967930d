#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>
#include <optional>

#include "results/store/store_file.h"

namespace assay {

/// The store that others are merged into: all of them or, whatever stops it, none. One that is
/// there is changed in one transaction. A new one is built beside where it is to be, under the name
/// with ".merging" behind it, and gets its name when it is complete; what an earlier merge that was
/// killed left under that name is thrown away. For results/*.cpp alone.
class MergeTarget {
 public:
  /// Begins the transaction. Throws as Store::open does, and SQLite::Exception.
  explicit MergeTarget(const std::filesystem::path& path);
  /// Takes everything back, unless it was finished.
  ~MergeTarget();
  MergeTarget(const MergeTarget&) = delete;
  MergeTarget& operator=(const MergeTarget&) = delete;

  SQLite::Database& database() { return *database_; }
  /// Commits; the database may be closed then. Throws SQLite::Exception, and EnvironmentError if a
  /// file has come to the new one's place meanwhile.
  void finish();

 private:
  std::filesystem::path path_;
  bool is_new_;
  StoreFile file_;
  std::optional<SQLite::Database> database_;
  bool finished_ = false;
};

}  // namespace assay
