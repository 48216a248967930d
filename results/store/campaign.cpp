#include "results/store/campaign.h"

#include <SQLiteCpp/Database.h>

#include "profiler/support/error.h"
#include "results/store/query.h"

namespace assay {
namespace {

/// Runs the insertion, which does nothing where the row is there already, and gives the id that the
/// selection finds by the same values.
template <typename... Values>
std::int64_t find_or_create(SQLite::Database& database, const char* insertion,
                            const char* selection, const Values&... values) {
  SQLite::Statement insert(database, insertion);
  Query(insert, values...).run();
  SQLite::Statement select(database, selection);
  Query found(select, values...);
  if (!found.next()) throw Error("a row just written to the store is not there");
  return found.integer(0);
}

std::int64_t machine_id(SQLite::Database& database, const Machine& machine) {
  return find_or_create(
      database,
      "INSERT INTO machine (vendor, brand, family, model, stepping, microarchitecture) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
      "SELECT id FROM machine WHERE (vendor, brand, family, model, stepping, microarchitecture) "
      "= (?1, ?2, ?3, ?4, ?5, ?6)",
      machine.vendor, machine.brand, machine.family, machine.model, machine.stepping,
      machine.microarchitecture);
}

std::int64_t environment_id(SQLite::Database& database, const Environment& environment) {
  return find_or_create(
      database,
      "INSERT INTO environment (kernel, microcode, hypervisor, governor, smt, cores) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
      "SELECT id FROM environment WHERE (kernel, microcode, hypervisor, governor, smt, cores) "
      "= (?1, ?2, ?3, ?4, ?5, ?6)",
      environment.kernel, environment.microcode, environment.hypervisor, environment.governor,
      environment.smt, environment.cores);
}

Campaign campaign_of(const Query& row) {
  return {.id = CampaignId{row.integer(0)},
          .machine = {.vendor = row.text(1),
                      .brand = row.text(2),
                      .family = static_cast<std::uint32_t>(row.integer(3)),
                      .model = static_cast<std::uint32_t>(row.integer(4)),
                      .stepping = static_cast<std::uint32_t>(row.integer(5)),
                      .microarchitecture = row.text(6)},
          .environment = {.kernel = row.text(7),
                          .microcode = row.text(8),
                          .hypervisor = row.text(9),
                          .governor = row.text(10),
                          .smt = row.text(11),
                          .cores = row.integer(12)},
          .program_version = row.text(13),
          .settings = row.text(14),
          .protocol = row.text(15),
          .clock = row.text(16),
          .started_at = row.text(17)};
}

}  // namespace

CampaignId find_or_create_campaign(SQLite::Database& database, const Machine& machine,
                                   const Environment& environment, std::string_view program_version,
                                   const Settings& settings) {
  const std::int64_t id = find_or_create(
      database,
      "INSERT INTO campaign (machine, environment, program_version, settings, protocol, clock) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT DO NOTHING",
      "SELECT id FROM campaign WHERE (machine, environment, program_version, settings, protocol, "
      "clock) = (?1, ?2, ?3, ?4, ?5, ?6)",
      machine_id(database, machine), environment_id(database, environment), program_version,
      to_json(settings), settings.protocol, settings.clock);
  return CampaignId{id};
}

std::vector<Campaign> all_campaigns(SQLite::Database& database) {
  SQLite::Statement select(
      database,
      "SELECT campaign.id, vendor, brand, family, model, stepping, microarchitecture, kernel, "
      "microcode, hypervisor, governor, smt, cores, program_version, settings, protocol, clock, "
      "started_at "
      "FROM campaign JOIN machine ON machine.id = machine "
      "JOIN environment ON environment.id = environment ORDER BY campaign.id");
  std::vector<Campaign> campaigns;
  for (Query row(select); row.next();) campaigns.push_back(campaign_of(row));
  return campaigns;
}

}  // namespace assay
