#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "profiler/machine/identity.h"
#include "profiler/measurement/settings.h"

namespace SQLite {
class Database;
}

namespace assay {

/// The number of a campaign within its store.
enum class CampaignId : std::int64_t {};

/// A campaign as the store has it.
struct Campaign {
  CampaignId id{};
  Machine machine;
  Environment environment;
  std::string program_version;
  std::string settings;    ///< to_json() of the Settings
  std::string protocol;    ///< also in settings
  std::string clock;       ///< also in settings
  std::string started_at;  ///< UTC, ISO 8601: "2024-05-17T08:30:00Z"
};

/// The id of the campaign with the same machine, environment, program version and settings, which
/// is created if there is none. Its start becomes the earlier of the stored and the given time; an
/// empty `started_at` stands for now. Throws SQLite::Exception. For results/ only.
CampaignId find_or_create_campaign(SQLite::Database& database, const Campaign& campaign);

/// All campaigns, oldest first. Throws SQLite::Exception. For results/ only.
std::vector<Campaign> all_campaigns(SQLite::Database& database);

/// Throws InputError if these campaigns of the store at `path` are none: then it holds nothing.
void check_not_empty(const std::filesystem::path& path, const std::vector<Campaign>& campaigns);

}  // namespace assay
