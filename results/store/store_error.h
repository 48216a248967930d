#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "profiler/support/named.h"

namespace assay {

/// Whether only the statement failed, because the schema refuses its values: the rest of its
/// transaction is intact.
bool is_refused_by_schema(const SQLite::Exception& exception);

/// Turns an error that SQLite reported of the store at `path` into one that says what to do, and
/// throws it: EnvironmentError for the disk, permissions and locks, InputError for a damaged file,
/// Error for values that the schema refuses.
[[noreturn]] void throw_store_error(const std::filesystem::path& path,
                                    const SQLite::Exception& exception);

/// Runs an action on the store at `path`. What SQLite throws is turned into an Error by
/// throw_store_error(), and a word that this assay does not know into an InputError that names the
/// path.
template <typename Action>
auto naming_store(const std::filesystem::path& path, const Action& action) {
  try {
    return action();
  } catch (const SQLite::Exception& exception) {
    throw_store_error(path, exception);
  } catch (const UnknownWord& unknown) {
    throw InputError(path.string() + ": " + unknown.what());
  }
}

}  // namespace assay
