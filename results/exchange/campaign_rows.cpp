#include "results/exchange/campaign_rows.h"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Database.h>

#include "results/exchange/row_merger.h"
#include "results/store/query.h"

namespace assay {
namespace {

constexpr int kMachineColumns = 6;
constexpr int kEnvironmentColumns = 6;
constexpr int kOtherColumns = 5;

/// Runs the insertion, which gives the id of the row that is there then.
std::int64_t run(SQLite::Statement& insertion) {
  Query inserted(insertion);
  inserted.next();
  return inserted.integer(0);
}

}  // namespace

const char* const kSelectCampaigns =
    "SELECT campaign.id, vendor, brand, family, model, stepping, microarchitecture, kernel, "
    "microcode, hypervisor, governor, smt, cores, program_version, settings, protocol, clock, "
    "started_at FROM campaign JOIN machine ON machine.id = machine "
    "JOIN environment ON environment.id = environment";

// Each update but the last changes nothing: an insertion gives an id only if it does something.
CampaignRows::CampaignRows(SQLite::Database& database)
    : machine_(database,
               "INSERT INTO machine (vendor, brand, family, model, stepping, microarchitecture) "
               "VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
               "ON CONFLICT DO UPDATE SET vendor = vendor RETURNING id"),
      environment_(database,
                   "INSERT INTO environment (kernel, microcode, hypervisor, governor, smt, cores) "
                   "VALUES (?1, ?2, ?3, ?4, ?5, ?6) "
                   "ON CONFLICT DO UPDATE SET kernel = kernel RETURNING id"),
      campaign_(database,
                "INSERT INTO campaign (machine, environment, program_version, settings, protocol, "
                "clock, started_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE "
                "SET started_at = min(started_at, excluded.started_at) RETURNING id") {}

std::int64_t CampaignRows::id_of(SQLite::Statement& row, int column) {
  bind_columns(machine_, 1, row, column, kMachineColumns);
  column += kMachineColumns;
  bind_columns(environment_, 1, row, column, kEnvironmentColumns);
  column += kEnvironmentColumns;
  campaign_.bind(1, run(machine_));
  campaign_.bind(2, run(environment_));
  bind_columns(campaign_, 3, row, column, kOtherColumns);
  return run(campaign_);
}

}  // namespace assay
