#pragma once

namespace SQLite {
class Database;
}

namespace assay {

class StoreFile;

/// Opens the store for what `file` was opened for, and creates its tables in an empty file. The
/// connection waits a few seconds for locks of other programs. Throws SQLite::Exception, and
/// InputError for a file whose head was right and whose content is not.
SQLite::Database open_database(const StoreFile& file);

}  // namespace assay
