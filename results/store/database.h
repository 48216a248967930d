#pragma once

namespace SQLite {
class Database;
}

namespace assay {

class StoreFile;

/// How long a connection waits for locks that other programs hold.
inline constexpr int kBusyTimeoutMs = 5000;

/// Whether a store that is opened is checked before that, from its first page to its last
/// (content_digest.h).
enum class Content { kChecked, kUnchecked };

/// Opens the store with the access that `file` was opened with; for writing, creates the tables in
/// an empty file. Throws SQLite::Exception, and InputError for a file whose header is right but
/// whose content is not.
SQLite::Database open_database(const StoreFile& file, Content content = Content::kChecked);

}  // namespace assay
