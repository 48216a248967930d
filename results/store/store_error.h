#pragma once

#include <filesystem>

namespace SQLite {
class Exception;
}

namespace assay {

/// Whether the statement alone failed, because the schema refuses its values, so that the rest of
/// its transaction stands.
bool is_refused_by_schema(const SQLite::Exception& exception);

/// Throws what SQLite reported of the store at `path` as an Error that says what to do:
/// EnvironmentError for the disk, permissions and locks, InputError for a damaged file, Error for
/// values that the schema refuses.
[[noreturn]] void throw_store_error(const std::filesystem::path& path,
                                    const SQLite::Exception& exception);

}  // namespace assay
