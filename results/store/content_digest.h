#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace SQLite {
class Database;
}

namespace assay {

// The table `digest` of a store holds, for every other table, how many rows it has and a digest of
// them: the exclusive or of a 64-bit hash of each row (StableHash over all of its values). So it
// shows if a value was changed, or a row got lost, by anything but assay: a bit that flipped on a
// disk, or another program. It does not withstand somebody who means to deceive.

/// Keeps the digests up to date with all that this connection writes from now on, by temporary
/// triggers. The tables must exist. Throws SQLite::Exception.
void keep_digests(SQLite::Database& database);

/// What is wrong with the store at that path, for people; nothing if its log is whole
/// (find_damaged_log()), its pages hold together (SQLite's integrity_check), its tables are those
/// of schema.sql, and their content is what their digests say. Reads the whole store, as it is at
/// one moment. Throws SQLite::Exception.
std::optional<std::string> find_damage(SQLite::Database& database,
                                       const std::filesystem::path& path);

/// The part of find_damage() that is about pages and tables.
std::optional<std::string> find_broken_pages(SQLite::Database& database);

/// Throws InputError with what find_damage() finds, and with what to do about it.
void check_content(SQLite::Database& database, const std::filesystem::path& path);

/// Makes digests of the content as it is now. Throws SQLite::Exception.
void renew_digests(SQLite::Database& database);

}  // namespace assay
