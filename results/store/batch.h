#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace SQLite {
class Database;
}

namespace assay {

/// The clock that a store reads; tests bring their own.
using Now = std::function<std::chrono::steady_clock::time_point()>;

/// Makes the writes of about one second one transaction: a commit costs more than many rows, and no
/// more than that second's work is lost when the process is killed. Throws SQLite::Exception.
class Batch {
 public:
  /// Functions that are called before and after each commit. If `before_commit` throws, nothing is
  /// committed, and the caller should abandon() the batch.
  struct Around {
    std::function<void()> before_commit;
    std::function<void()> after_commit;
  };

  /// `database` must outlive the batch.
  Batch(SQLite::Database& database, Now now, Around around);
  /// Commits, and ignores errors: call commit() to get to know them.
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// To be called before each write: starts the transaction if none is open.
  void begin();
  /// Commits if a second has passed since the first write.
  void commit_if_due();
  /// Commits if anything was written.
  void commit();
  /// Discards what was not committed, after an error that may have ended the transaction already.
  void abandon() noexcept;

 private:
  SQLite::Database& database_;
  Now now_;
  Around around_;
  std::optional<std::chrono::steady_clock::time_point>
      first_write_;  ///< set: a transaction is open
};

}  // namespace assay
