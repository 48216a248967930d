#pragma once

namespace SQLite {
class Database;
}

namespace assay {

class StoreFile;

/// How long a connection waits for locks of other programs.
inline constexpr int kBusyTimeoutMs = 5000;

/// Opens the store for what `file` was opened for; to be written, tables are created in an empty
/// file. Throws SQLite::Exception, and InputError for a file whose head was right and whose content
/// is not.
SQLite::Database open_database(const StoreFile& file);

}  // namespace assay
