#pragma once

#include <SQLiteCpp/Exception.h>

#include <filesystem>

#include "profiler/support/named.h"

namespace assay {

/// Whether the statement alone failed, because the schema refuses its values, so that the rest of
/// its transaction stands.
bool is_refused_by_schema(const SQLite::Exception& exception);

/// Throws what SQLite reported of the store at `path` as an Error that says what to do:
/// EnvironmentError for the disk, permissions and locks, InputError for a damaged file, Error for
/// values that the schema refuses.
[[noreturn]] void throw_store_error(const std::filesystem::path& path,
                                    const SQLite::Exception& exception);

/// Runs an action on the store at `path`, with what SQLite throws made an Error as above, and with
/// the path before what is said of a word that nobody knows.
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
