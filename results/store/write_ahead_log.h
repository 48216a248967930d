#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace SQLite {
class Database;
}

namespace assay {

inline constexpr std::uintmax_t kLogToWriteBack = 64 << 20;  // bytes
inline constexpr std::uintmax_t kLongestLog = 2 * kLogToWriteBack;

/// Lets a writer's connection keep a write-ahead log beside the store: readers and the one writer
/// do not wait for each other, and a commit is one write and one sync, after which it survives the
/// end of the process and a power failure. The store's file is written only when the log has grown
/// to kLogToWriteBack, and at the end: at any other time a copy of both files, or of the store's
/// file alone, is a whole store. Throws EnvironmentError if there can be no log here, and
/// SQLite::Exception.
void use_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store);

/// The size in bytes of the log beside a store; 0 if there is none.
std::uintmax_t log_size(const std::filesystem::path& store);

/// What is wrong with the log beside a store, for people; nothing if there is none, or if it is
/// whole but for what was last appended to it. SQLite itself passes over a frame whose checksum is
/// wrong, and over all frames behind it, without a word: after a power failure, such a frame is one
/// that was not yet on the disk. But each commit is, before the next one begins. So a log with a
/// wrong frame and a right one behind the end of that transaction has lost rows that were
/// committed. Damage that takes the mark of that end as well is missed in the last transaction but
/// one, for the two look like one then. (SQLite's "Database File Format", 4: the write-ahead log.)
std::optional<std::string> find_damaged_log(const std::filesystem::path& store);

/// Keeps the log from growing without bound. SQLite starts it again from its beginning only at a
/// moment without readers, which may never come if each reader begins before the last one ends.
/// Once the log has more than `longest` bytes, this waits a moment for such a time, and then
/// empties the log. To be called after commits. Only a reader that stays in one transaction keeps
/// the log growing.
void bound_write_ahead_log(SQLite::Database& database, const std::filesystem::path& store,
                           std::uintmax_t longest = kLongestLog);

}  // namespace assay
