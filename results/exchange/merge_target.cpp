#include "results/exchange/merge_target.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "profiler/support/error.h"
#include "results/store/database.h"
#include "results/store/store_file.h"

namespace assay {
namespace {

constexpr const char* kBuilding = ".merging";

/// Removes the files that SQLite may have put beside a store.
void remove_logs(const std::filesystem::path& store) {
  for (const std::string_view ending : kSideFiles) {
    std::error_code ignored;
    std::filesystem::remove(store.string().append(ending), ignored);
  }
}

/// Empties the file that an earlier merge may have left. We hold its lock, and SQLite has not
/// opened it yet.
void empty(const std::filesystem::path& store) {
  std::error_code error;
  std::filesystem::resize_file(store, 0, error);
  if (error) throw EnvironmentError(fmt::format("{}: {}", store.string(), error.message()));
  remove_logs(store);
}

/// Renames a file so that the new name survives a power failure; never replaces another file.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) != 0) {
    throw EnvironmentError(describe_errno(
        fmt::format("{}: the merged store cannot get this name; name another", to.string()),
        errno));
  }
  const int folder = open(to.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // Failing here is no error: the name is in place, and may only be lost in a power failure.
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

/// Writes everything from the log back into the file, since the log would not get the store's new
/// name.
void write_back(SQLite::Database& database, const std::filesystem::path& path) {
  if (database.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() == 0) return;
  throw EnvironmentError(
      fmt::format("{}: another program reads this file, which is no store yet: end it and give the "
                  "same command again",
                  path.string()));
}

bool is_there(const std::filesystem::path& path) {
  std::error_code unknown;  // an error is reported when the file is opened
  return std::filesystem::exists(path, unknown) || unknown;
}

std::filesystem::path place_of(const std::filesystem::path& path) {
  if (path.empty()) throw InputError("the store's name is empty: name a file");
  auto place = std::filesystem::absolute(path);
  check_folder(place);  // before the file that is built there is opened, which would be named
  return place;
}

}  // namespace

MergeTarget::MergeTarget(const std::filesystem::path& path)
    : path_(place_of(path)),
      is_new_(!is_there(path_)),
      file_(is_new_ ? path_.string() + kBuilding : path_.string(), StoreAccess::kWrite) {
  if (is_new_) empty(file_.path());
  try {
    database_.emplace(open_database(file_));
    database_->exec("BEGIN IMMEDIATE");
  } catch (...) {
    discard();
    throw;
  }
}

MergeTarget::~MergeTarget() { discard(); }

/// Gives up what is not finished.
void MergeTarget::discard() {
  database_.reset();
  if (finished_ || !is_new_) return;
  remove_logs(file_.path());
  std::error_code ignored;
  std::filesystem::remove(file_.path(), ignored);
}

void MergeTarget::finish() {
  database_->exec("COMMIT");
  if (is_new_) {
    write_back(*database_, file_.path());
    database_.reset();
    remove_logs(path_);  // those of an old store that was deleted without its logs
    rename_durably(file_.path(), path_);
  }
  finished_ = true;
}

}  // namespace assay
