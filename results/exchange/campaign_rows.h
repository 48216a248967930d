#pragma once

#include <SQLiteCpp/Statement.h>

#include <cstdint>

namespace SQLite {
class Database;
}

namespace assay {

/// All campaigns of a store: the id, and then what CampaignRows::id_of() wants.
extern const char* const kSelectCampaigns;

/// Takes the campaigns of other stores into one, with their machines and environments. For
/// results/*.cpp alone. Throws SQLite::Exception.
class CampaignRows {
 public:
  /// `database` must outlive it.
  explicit CampaignRows(SQLite::Database& database);
  /// The id of the campaign that columns of `row` from `column` on describe: the one with the same
  /// machine, environment, program version and settings, or a new one. It has started when the
  /// first of them has.
  std::int64_t id_of(SQLite::Statement& row, int column);

 private:
  SQLite::Statement machine_;
  SQLite::Statement environment_;
  SQLite::Statement campaign_;
};

}  // namespace assay
