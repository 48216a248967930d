#include "results/store/store_error.h"

#include <SQLiteCpp/Exception.h>
#include <fmt/format.h>
// Only for the names of the result codes: SQLiteCpp passes them on but does not declare them.
#include <sqlite3.h>

#include <fcntl.h>

#include <cerrno>

#include "profiler/support/descriptor.h"
#include "profiler/support/error.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

constexpr int kPrimaryCode = 0xFF;  // an extended result code's lowest byte is the primary one

/// The store, its log, the log's index, and the folder for a moment.
constexpr int kFilesOfConnection = 4;

/// The errno of an attempt to open so many files at once; 0 if they could be opened. SQLite does
/// not tell the errno that it met.
int error_of_opening_files(int files) {
  if (files == 0) return 0;
  const Descriptor file(open("/dev/null", O_RDONLY | O_CLOEXEC));
  return file.get() < 0 ? errno : error_of_opening_files(files - 1);
}

std::string problem(const std::filesystem::path& path, const SQLite::Exception& exception,
                    const std::string& what) {
  return fmt::format("{}: {} (SQLite: {})", path.string(), what, exception.what());
}

}  // namespace

bool is_refused_by_schema(const SQLite::Exception& exception) {
  return (exception.getErrorCode() & kPrimaryCode) == SQLITE_CONSTRAINT;
}

void throw_store_error(const std::filesystem::path& path, const SQLite::Exception& exception) {
  switch (exception.getErrorCode() & kPrimaryCode) {
    case SQLITE_FULL:
      throw EnvironmentError(problem(path, exception,
                                     "the disk is full; what was committed is intact: free some "
                                     "space and give the same command again to go on"));
    case SQLITE_IOERR:
      throw EnvironmentError(
          problem(path, exception,
                  "reading or writing the store failed; what was committed is "
                  "intact: see to the disk, and to the limit on the size of files "
                  "(ulimit -f), and give the same command again to go on"));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw EnvironmentError(problem(path, exception,
                                     "another program is writing this store: wait until it is done "
                                     "and give the same command again"));
    case SQLITE_CANTOPEN:
      if (const int error = error_of_opening_files(kFilesOfConnection); error != 0) {
        throw EnvironmentError(problem(path, exception,
                                       "the store, and the files that SQLite keeps beside it, "
                                       "cannot be opened" +
                                           advice_on_files(error)));
      }
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      if (log_size(path) > 0) {
        throw EnvironmentError(problem(
            path, exception,
            fmt::format("the store cannot be opened or written; who reads its log, {}-wal, must be "
                        "able to write to the folder: copy both to one of yours",
                        path.string())));
      }
      throw EnvironmentError(problem(path, exception,
                                     "the store cannot be opened or written: its file and folder "
                                     "must be readable, and writable where results are added"));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw InputError(problem(path, exception,
                               "the store is damaged: take a copy from before, or save what is "
                               "left with sqlite3's .recover"));
    case SQLITE_CONSTRAINT:
      throw Error(problem(path, exception, "the store's schema refuses this record"));
    default:
      throw Error(problem(path, exception, "SQLite reported an unexpected error"));
  }
}

}  // namespace assay
