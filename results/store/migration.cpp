#include "results/store/migration.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "results/store/schema.h"

namespace assay {
namespace {

/// The initial state of a row of version 1, which did not keep it: the campaign's, as that version
/// tried no other; without a plan the block never ran. Its first settings are all 'bhive'.
constexpr const char* kStateOfVersion1 =
    "CASE WHEN copies = 0 THEN '' ELSE coalesce((SELECT json_extract(settings, '$.initial_state') "
    "FROM campaign WHERE campaign.id = measurement.campaign), 'bhive') END";

/// schema.sql's own statements from this one to its end, so that a store that was brought up to
/// date has the checks of a new one: each version put its tables behind those that were there.
const char* tables_from(std::string_view first) {
  return kSchema + std::string_view(kSchema).find(first);
}

/// schema.sql's own statement that makes the table of blocks.
std::string table_of_blocks() {
  constexpr std::string_view kEnd = "STRICT;";
  const std::string_view text = tables_from("CREATE TABLE block");
  return std::string(text.substr(0, text.find(kEnd) + kEnd.size()));
}

/// What makes blocks unique cannot be altered: the table is made anew, with the same ids. Rows that
/// name a block go on naming the table `block`, whichever it is.
void rebuild_blocks(SQLite::Database& database) {
  database.exec(
      "PRAGMA legacy_alter_table = ON; ALTER TABLE block RENAME TO block_before;"
      "PRAGMA legacy_alter_table = OFF");
  database.exec(table_of_blocks());
  database.exec(
      "INSERT INTO block (id, bytes, text, instructions) "
      "SELECT id, bytes, text, instructions FROM block_before; DROP TABLE block_before");
}

}  // namespace

void migrate(SQLite::Database& database, std::uint32_t version) {
  if (version < 2) {
    database.exec(
        "ALTER TABLE measurement ADD COLUMN initial_state TEXT NOT NULL DEFAULT '';"
        "ALTER TABLE measurement ADD COLUMN traits TEXT NOT NULL DEFAULT ''");
    database.exec(fmt::format("UPDATE measurement SET initial_state = {}", kStateOfVersion1));
  }
  if (version < 4) {
    database.exec(tables_from(version < 3 ? "CREATE TABLE event_count" : "CREATE TABLE coverage"));
  }
  rebuild_blocks(database);
  database.exec(
      "ALTER TABLE source ADD COLUMN name TEXT NOT NULL DEFAULT '';"
      "ALTER TABLE source ADD COLUMN origin TEXT NOT NULL DEFAULT ''");
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
}

void view_as_current(SQLite::Database& database, std::uint32_t version) {
  if (version < 5) {
    database.exec(
        "CREATE TEMP VIEW block AS SELECT id, bytes, '' AS state, text, size, instructions "
        "FROM main.block;"
        "CREATE TEMP VIEW source AS SELECT block, corpus, line, frequency, '' AS name, "
        "'' AS origin FROM main.source");
  }
  if (version < 4) {
    database.exec(
        "CREATE TEMP VIEW coverage AS SELECT 0 AS campaign, '' AS corpus, '' AS notion, "
        "0 AS shard, 0 AS shards, 0 AS block_limit, 0 AS complete, '' AS digest, 0 AS blocks "
        "WHERE false;"
        "CREATE TEMP VIEW repeat AS SELECT 0 AS campaign, 0 AS block, '' AS notion, "
        "'' AS verdict, '' AS reason, '' AS detail, 0.0 AS cycles, 0.0 AS spread, 0 AS runs, "
        "0 AS dropped, '' AS measured_at WHERE false");
  }
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
