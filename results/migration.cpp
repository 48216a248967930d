#include "results/migration.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "results/schema.h"

namespace assay {
namespace {

/// The initial state of a row of version 1, which did not keep it: the campaign's, as that version
/// tried no other; without a plan the block never ran. Its first settings are all 'bhive'.
constexpr const char* kStateOfVersion1 =
    "CASE WHEN copies = 0 THEN '' ELSE coalesce((SELECT json_extract(settings, '$.initial_state') "
    "FROM campaign WHERE campaign.id = measurement.campaign), 'bhive') END";

}  // namespace

void migrate(SQLite::Database& database, std::uint32_t version) {
  if (version < 2) {
    database.exec(
        "ALTER TABLE measurement ADD COLUMN initial_state TEXT NOT NULL DEFAULT '';"
        "ALTER TABLE measurement ADD COLUMN traits TEXT NOT NULL DEFAULT ''");
    database.exec(fmt::format("UPDATE measurement SET initial_state = {}", kStateOfVersion1));
  }
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

void view_as_current(SQLite::Database& database, std::uint32_t version) {
  if (version >= 2) return;
  database.exec(
      fmt::format("CREATE TEMP VIEW measurement AS SELECT campaign, block, notion, verdict, "
                  "reason, detail, cycles, spread, runs, dropped, copies, pages, measured_at, "
                  "{} AS initial_state, '' AS traits FROM main.measurement",
                  kStateOfVersion1));
}

}  // namespace assay
