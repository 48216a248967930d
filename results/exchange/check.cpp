#include "results/exchange/check.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "profiler/block/verdict.h"
#include "profiler/support/error.h"
#include "results/store/content_digest.h"
#include "results/store/database.h"
#include "results/store/store_error.h"
#include "results/store/store_file.h"
#include "results/store/write_ahead_log.h"

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

/// An outcome that no assay of this version gives, for people; nothing if there is none.
std::optional<std::string> find_unknown_outcome(SQLite::Database& database) {
  SQLite::Statement rows(database, "SELECT DISTINCT verdict, reason FROM main.measurement");
  while (rows.executeStep()) {
    const std::string verdict = rows.getColumn(0).getString();
    const std::string reason = rows.getColumn(1).getString();
    const bool known = std::ranges::any_of(all_reasons(), [&](const ReasonInfo& info) {
      return info.name == reason && name(info.verdict) == verdict;
    });
    if (!known) return fmt::format("an outcome is '{}' for '{}'", verdict, reason);
  }
  return std::nullopt;
}

}  // namespace

StoreCheck check_store(const std::filesystem::path& path) {
  return naming_store(path, [&] {
    const StoreFile file(path, StoreAccess::kRead);
    SQLite::Database database = open_database(file, Content::kUnchecked);
    StoreCheck check{.damage = find_damage(database, file.path()), .given_up = {}};
    if (!check.damage) count(database, check);
    return check;
  });
}

StoreCheck accept_store(const std::filesystem::path& path) {
  return naming_store(path, [&] {
    // This says that it is missing, empty or no store; opened for writing, it would be made one.
    { const StoreFile readable(path, StoreAccess::kRead); }
    const StoreFile file(path, StoreAccess::kWrite);
    StoreCheck check{.damage = {}, .given_up = find_damaged_log(file.path())};
    SQLite::Database database = open_database(file, Content::kUnchecked);
    auto damage = find_broken_pages(database);
    if (!damage) damage = find_unknown_outcome(database);
    if (damage) {
      throw InputError(fmt::format(
          "{}: the store is damaged ({}), which cannot be accepted: take a copy from before, or "
          "save what is left with sqlite3's .recover",
          path.string(), *damage));
    }
    renew_digests(database);
    count(database, check);
    return check;
  });
}

}  // namespace assay
