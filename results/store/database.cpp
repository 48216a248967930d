#include "results/store/database.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "results/store/schema.h"
#include "results/store/store_file.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

/// A URI, in which SQLite reads '%', '?' and '#' as its own.
std::string uri_of(const std::filesystem::path& path, const char* parameters) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    const bool special = c == '%' || c == '?' || c == '#';
    uri += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return uri + parameters;
}

bool has_log(const std::filesystem::path& path) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(path.string() + "-wal", missing);
  return !missing && size > 0;
}

/// A reader needs SQLite's files beside the store. A log with content is left to the writer who
/// has it, or to the next one: only a read-only connection does not bring it into the store at its
/// end. Where there is none and the reader may write, it opens the store as a writer would, since
/// only such a connection removes those files again. Where nobody may write here either, the file
/// is all there is, and "immutable" reads it alone.
SQLite::Database open_for_reading(const StoreFile& file) {
  if (has_log(file.path())) {
    return SQLite::Database(file.path().string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
  }
  if (file.writable()) {
    return SQLite::Database(file.path().string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  }
  return SQLite::Database(uri_of(file.path(), "?immutable=1"),
                          SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
}

/// By SQL, and so with what a journal or a log has to add to the file's head.
void check_version(SQLite::Database& database, const StoreFile& file) {
  check_schema_version(file.path(), database.execAndGet("PRAGMA user_version").getUInt());
}

/// The tables and the marks of a store are one transaction, in SQLite's first journal mode:
/// whenever the process is killed, the file is empty or a store. (Changing the journal mode first
/// would leave a moment with an SQLite file that is not marked as ours.)
void create_tables_if_empty(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0) {
    database.exec(kSchema);
  }
  transaction.commit();
}

}  // namespace

SQLite::Database open_database(const StoreFile& file) {
  if (file.access() == StoreAccess::kRead) {
    SQLite::Database database = open_for_reading(file);
    check_version(database, file);
    database.exec("PRAGMA query_only = ON");
    return database;
  }
  SQLite::Database database(file.path().string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  // 64 MiB: blocks come in no order of their bytes, so that the index on them is touched all over.
  database.exec("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  create_tables_if_empty(database);
  check_version(database, file);
  use_write_ahead_log(database, file.path());
  return database;
}

}  // namespace assay
