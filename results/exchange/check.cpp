#include "results/exchange/check.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "profiler/support/error.h"
#include "results/store/content_digest.h"
#include "results/store/database.h"
#include "results/store/store_error.h"
#include "results/store/store_file.h"

namespace assay {
namespace {

void count(SQLite::Database& database, StoreCheck& check) {
  const auto rows = [&](const char* table) {
    return database.execAndGet(fmt::format("SELECT count(*) FROM {}", table)).getInt64();
  };
  check.campaigns = rows("campaign");
  check.blocks = rows("block");
  check.outcomes = rows("measurement");
}

}  // namespace

StoreCheck check_store(const std::filesystem::path& path) {
  return naming_store(path, [&] {
    const StoreFile file(path, StoreAccess::kRead);
    SQLite::Database database = open_database(file, Content::kUnchecked);
    StoreCheck check{.damage = find_damage(database)};
    if (!check.damage) count(database, check);
    return check;
  });
}

StoreCheck accept_store(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return check_store(path);  // which says that it is missing
  return naming_store(path, [&] {
    const StoreFile file(path, StoreAccess::kWrite);
    SQLite::Database database = open_database(file);
    if (const auto damage = find_broken_pages(database)) {
      throw InputError(fmt::format(
          "{}: the store is damaged ({}), which cannot be accepted: take a copy from before, or "
          "save what is left with sqlite3's .recover",
          path.string(), *damage));
    }
    renew_digests(database);
    StoreCheck check;
    count(database, check);
    return check;
  });
}

}  // namespace assay
