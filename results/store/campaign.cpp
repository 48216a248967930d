#include "results/store/campaign.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include "profiler/support/error.h"
#include "results/store/row.h"

namespace assay {
namespace {

/// The id of the row with these values, which is added if there is none.
template <Described T>
std::int64_t find_or_create(SQLite::Database& database, const char* table, const T& value) {
  const Fields fields = fields_of(value);
  const std::string columns = columns_of<T>(), values = parameters(fields.size());
  SQLite::Statement insert(
      database, fmt::format("INSERT INTO {} ({}) VALUES ({}) ON CONFLICT DO NOTHING", table,
                            columns, values));
  Query(insert, fields).run();
  // RETURNING would give no row where the row exists already: its id is looked up.
  SQLite::Statement select(
      database, fmt::format("SELECT id FROM {} WHERE ({}) = ({})", table, columns, values));
  Query found(select, fields);
  if (!found.next()) throw Error("a row just written to the store is not there");
  return found.integer(0);
}

}  // namespace

CampaignId find_or_create_campaign(SQLite::Database& database, const Campaign& campaign) {
  SQLite::Statement upsert(
      database,
      "INSERT INTO campaign (machine, environment, program_version, settings, protocol, clock, "
      "started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
      "ifnull(nullif(?7, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))) "
      "ON CONFLICT DO UPDATE SET started_at = min(started_at, excluded.started_at) RETURNING id");
  Query found(upsert, find_or_create(database, "machine", campaign.machine),
              find_or_create(database, "environment", campaign.environment),
              campaign.program_version, campaign.settings, campaign.protocol, campaign.clock,
              campaign.started_at);
  if (!found.next()) throw Error("a campaign just written to the store is not there");
  return CampaignId{found.integer(0)};
}

std::vector<Campaign> all_campaigns(SQLite::Database& database) {
  constexpr int kFirstOfMachine = 6;
  static const int kFirstOfEnvironment =
      kFirstOfMachine + static_cast<int>(field_names<Machine>().size());
  SQLite::Statement select(
      database,
      fmt::format("SELECT campaign.id, program_version, settings, protocol, clock, started_at, {}, "
                  "{} FROM campaign JOIN machine ON machine.id = machine "
                  "JOIN environment ON environment.id = environment ORDER BY campaign.id",
                  columns_of<Machine>(), columns_of<Environment>()));
  std::vector<Campaign> campaigns;
  for (Query row(select); row.next();) {
    campaigns.push_back({.id = CampaignId{row.integer(0)},
                         .machine = read_row<Machine>(row, kFirstOfMachine),
                         .environment = read_row<Environment>(row, kFirstOfEnvironment),
                         .program_version = row.text(1),
                         .settings = row.text(2),
                         .protocol = row.text(3),
                         .clock = row.text(4),
                         .started_at = row.text(5)});
  }
  return campaigns;
}

void check_not_empty(const std::filesystem::path& path, const std::vector<Campaign>& campaigns) {
  if (!campaigns.empty()) return;
  throw InputError(
      fmt::format("{}: a store without campaigns: nothing was measured into it yet, or it was "
                  "copied without its log, {}-wal: copy both",
                  path.string(), path.filename().string()));
}

}  // namespace assay
