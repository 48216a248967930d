#include "results/store/write_ahead_log.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "profiler/support/error.h"
#include "results/store/database.h"

namespace assay {
namespace {

constexpr int kWaitForReadersMs = 50;

}  // namespace

void use_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store) {
  const std::string mode = database.execAndGet("PRAGMA journal_mode = WAL").getString();
  if (mode != "wal") {
    throw EnvironmentError(
        fmt::format("{}: SQLite can keep no write-ahead log here: put the store on a local file "
                    "system",
                    store.string()));
  }
  const auto page_size = database.execAndGet("PRAGMA page_size").getInt64();
  database.exec(fmt::format("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = {}",
                            kLogToWriteBack / static_cast<std::uintmax_t>(page_size)));
}

std::uintmax_t log_size(const std::filesystem::path& store) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(store.string() + "-wal", missing);
  return missing ? 0 : size;
}

void bound_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store,
                           std::uintmax_t longest) {
  if (log_size(store) <= longest) return;
  database.setBusyTimeout(kWaitForReadersMs);
  // This fails while a reader stays; the next call tries again.
  database.tryExec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.setBusyTimeout(kBusyTimeoutMs);
}

}  // namespace assay
