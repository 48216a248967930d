#include "results/store/database.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "results/store/content_digest.h"
#include "results/store/schema.h"
#include "results/store/store_file.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

/// The URI of a file for SQLite, with the characters escaped that mean something in URIs ('%', '?'
/// and '#').
std::string uri_of(const std::filesystem::path& path, const char* parameters) {
  std::string uri = "file:";
  for (const char c : path.string()) {
    const bool special = c == '%' || c == '?' || c == '#';
    uri += special ? fmt::format("%{:02X}", static_cast<unsigned>(c)) : std::string(1, c);
  }
  return uri + parameters;
}

/// Opens the store for a reader, who needs the files that SQLite keeps beside it. If there is a log
/// with content, it is left to the writer that has it, or to the next one: only a read-only
/// connection does not write it back into the store when it is closed. If there is no log and the
/// reader may write, the reader opens the store as a writer would, since only such a connection
/// removes SQLite's files again. If the reader may not write either, the file is all there is, and
/// "immutable" reads it alone.
SQLite::Database open_for_reading(const StoreFile& file) {
  if (log_size(file.path()) > 0) {
    return SQLite::Database(file.path().string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
  }
  if (file.writable()) {
    return SQLite::Database(file.path().string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  }
  return SQLite::Database(uri_of(file.path(), "?immutable=1"),
                          SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
}

/// Checks the schema version once more, by SQL, which also sees what a journal or a log adds to the
/// file's header.
void check_version(SQLite::Database& database, const StoreFile& file) {
  check_schema_version(file.path(), database.execAndGet("PRAGMA user_version").getUInt());
}

bool is_empty(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() == 0;
}

/// Checks a store before it is opened for writing, which would write its log back. A file without
/// tables is to become one.
void check_existing(const StoreFile& file) {
  SQLite::Database database = open_for_reading(file);
  if (is_empty(database)) return;
  check_version(database, file);
  check_content(database, file.path());
}

/// Creates the tables and the marks of a store in one transaction, in SQLite's default journal
/// mode: whenever the process is killed, the file is either empty or a store. (Changing the journal
/// mode first would leave a moment with an SQLite file that is not marked as ours.)
void create_tables_if_empty(SQLite::Database& database) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (is_empty(database)) database.exec(kSchema);
  transaction.commit();
}

}  // namespace

SQLite::Database open_database(const StoreFile& file, Content content) {
  if (file.access() == StoreAccess::kRead) {
    SQLite::Database database = open_for_reading(file);
    check_version(database, file);
    // open_for_reading() may have opened the store for writing.
    database.exec("PRAGMA query_only = ON");
    if (content == Content::kChecked) check_content(database, file.path());
    return database;
  }
  if (content == Content::kChecked) check_existing(file);
  SQLite::Database database(file.path().string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
  // A cache of 64 MiB: blocks come in no order of their bytes, so that all parts of the index on
  // them are in use.
  database.exec("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536");
  create_tables_if_empty(database);
  check_version(database, file);
  use_write_ahead_log(database, file.path());
  keep_digests(database);
  return database;
}

}  // namespace assay
