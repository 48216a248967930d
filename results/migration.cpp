#include "results/migration.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <string_view>

#include "results/schema.h"

namespace assay {
namespace {

/// The initial state of a row of version 1, which did not keep it: the campaign's, as that version
/// tried no other; without a plan the block never ran. Its first settings are all 'bhive'.
constexpr const char* kStateOfVersion1 =
    "CASE WHEN copies = 0 THEN '' ELSE coalesce((SELECT json_extract(settings, '$.initial_state') "
    "FROM campaign WHERE campaign.id = measurement.campaign), 'bhive') END";

/// schema.sql's own statement, so that a store that was brought up to date has the checks of a new
/// one. It is the last of the file.
std::string_view creation_of_event_count() {
  const std::string_view schema = kSchema;
  return schema.substr(schema.find("CREATE TABLE event_count"));
}

}  // namespace

void migrate(SQLite::Database& database, std::uint32_t version) {
  if (version < 2) {
    database.exec(
        "ALTER TABLE measurement ADD COLUMN initial_state TEXT NOT NULL DEFAULT '';"
        "ALTER TABLE measurement ADD COLUMN traits TEXT NOT NULL DEFAULT ''");
    database.exec(fmt::format("UPDATE measurement SET initial_state = {}", kStateOfVersion1));
  }
  if (version < 3) database.exec(creation_of_event_count().data());
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

void view_as_current(SQLite::Database& database, std::uint32_t version) {
  if (version < 3) {
    database.exec(
        "CREATE TEMP VIEW event_count AS SELECT 0 AS campaign, 0 AS block, '' AS notion, "
        "'' AS name, 0 AS position, 0.0 AS per_copy, 0.0 AS half_width, 0.0 AS overhead, "
        "0 AS validates, 0 AS pass, 0.0 AS pass_cycles WHERE false");
  }
  if (version >= 2) return;
  database.exec(
      fmt::format("CREATE TEMP VIEW measurement AS SELECT campaign, block, notion, verdict, "
                  "reason, detail, cycles, spread, runs, dropped, copies, pages, measured_at, "
                  "{} AS initial_state, '' AS traits FROM main.measurement",
                  kStateOfVersion1));
}

}  // namespace assay
