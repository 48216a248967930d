#pragma once

#include <cstdint>

namespace SQLite {
class Database;
}

namespace assay {

/// The oldest schema version that is known.
inline constexpr std::uint32_t kOldestSchemaVersion = 1;

/// Brings the tables of a store of `version` (kOldestSchemaVersion to kSchemaVersion) up to
/// kSchemaVersion, and marks it so; every row stays. Belongs into a transaction, of a connection
/// that does not enforce foreign keys, since tables are made anew. Throws SQLite::Exception.
void migrate(SQLite::Database& database, std::uint32_t version);

/// Lets this connection read a store of `version` as one of kSchemaVersion, by temporary views in
/// front of its tables: the file is not touched. Throws SQLite::Exception.
void view_as_current(SQLite::Database& database, std::uint32_t version);

}  // namespace assay
