#pragma once

#include <cstdint>
#include <filesystem>

namespace SQLite {
class Database;
}

namespace assay {

inline constexpr std::uintmax_t kLogToWriteBack = 64 << 20;  // bytes
inline constexpr std::uintmax_t kLongestLog = 2 * kLogToWriteBack;

/// Lets a writer's connection keep a write-ahead log beside the store: readers and the one writer
/// do not wait for each other, and a commit is one write and one sync, after which it outlasts the
/// end of the process and of the power. The file itself is written to only when the log has grown
/// to kLogToWriteBack, and at the end: whoever copies both meanwhile, or the file alone, has a
/// whole store, but for the moments in which the log is written back. Throws EnvironmentError where
/// there can be no log, and SQLite::Exception.
void use_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store);

/// Readers who come one before the other goes keep a log from being used again from its beginning
/// for as long as they do: once it has outgrown `longest` bytes, this waits a moment for a time
/// without any, and then empties it. To be called after commits. Only a reader who stays in one
/// transaction keeps the log growing.
void bound_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store,
                           std::uintmax_t longest = kLongestLog);

}  // namespace assay
