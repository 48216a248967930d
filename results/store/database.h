#pragma once

namespace SQLite {
class Database;
}

namespace assay {

class StoreFile;

/// How long a connection waits for locks of other programs.
inline constexpr int kBusyTimeoutMs = 5000;

/// Opens the store for what `file` was opened for. To be written, tables are created in an empty
/// file, and those of an older schema version brought up to date; to be read, an older store looks
/// like one of kSchemaVersion and stays as it is. Throws SQLite::Exception, and InputError for a
/// file whose head was right and whose content is not.
SQLite::Database open_database(const StoreFile& file);

}  // namespace assay
