#include "results/store/store_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "profiler/support/error.h"
#include "profiler/support/version.h"
#include "results/store/big_endian.h"
#include "results/store/schema.h"
#include "results/store/write_ahead_log.h"

namespace assay {
namespace {

// The head of every SQLite file: https://www.sqlite.org/fileformat2.html#the_database_header
constexpr std::size_t kHeaderSize = 100;
constexpr char kMagic[] = "SQLite format 3";  // with its NUL, 16 bytes
constexpr std::size_t kUserVersionOffset = 60;
constexpr std::size_t kApplicationIdOffset = 68;

/// The last version of assay that reads stores of a schema version, and of those before it.
/// Ascending, up to the schema version before kSchemaVersion.
struct OlderReader {
  std::uint32_t schema;
  const char* version;
};
constexpr std::array kOlderReaders = {OlderReader{5, "0.1.0"}, OlderReader{6, "0.2.0"},
                                      OlderReader{7, "0.3.0"}, OlderReader{8, "0.4.0"},
                                      OlderReader{9, "0.5.0"}, OlderReader{10, "0.6.0"}};

using Header = std::array<unsigned char, kHeaderSize>;

bool may_write(const std::filesystem::path& path) {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

[[noreturn]] void refuse_unwritable(const std::filesystem::path& path) {
  throw EnvironmentError(
      fmt::format("{} cannot be written: {}; allow it, or name a store elsewhere", path.string(),
                  std::strerror(errno)));
}

/// Throws unless the file is regular, or can be created where that is allowed. Only regular files
/// are ever opened: a FIFO would block, and a device might do anything.
void check_kind(const std::filesystem::path& path, StoreAccess access) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::regular) return;
  if (kind != std::filesystem::file_type::not_found) {
    throw InputError(fmt::format("{}: {}: name a file", path.string(),
                                 kind == std::filesystem::file_type::directory ? "is a directory"
                                 : error                                       ? error.message()
                                         : "is no regular file"));
  }
  if (access == StoreAccess::kRead) {
    throw InputError(fmt::format("{}: there is no such store", path.string()));
  }
  check_folder(path);
  const auto folder = path.parent_path();
  if (!may_write(folder)) refuse_unwritable(folder);
}

/// The path as SQLite gets it: absolute, so that SQLite takes no name for a URI or for ":memory:",
/// and with links resolved, so that the files that SQLite puts beside the store are where we look
/// for them.
std::filesystem::path resolved(const std::filesystem::path& path, StoreAccess access) {
  if (path.empty()) throw InputError("the store's name is empty: name a file");
  std::error_code error;
  auto absolute = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  if (error) throw InputError(fmt::format("{}: {}", path.string(), error.message()));
  check_kind(absolute, access);
  return absolute;
}

bool is_sqlite(const Header& header) {
  return std::memcmp(header.data(), kMagic, sizeof kMagic) == 0;
}

void check_header(const std::filesystem::path& path, const Header& header) {
  if (!is_sqlite(header)) {
    throw InputError(fmt::format(
        "{}: not a store of assay (not even an SQLite file): left as it is", path.string()));
  }
  if (big_endian(header, kApplicationIdOffset) != kApplicationId) {
    throw InputError(
        fmt::format("{}: not a store of assay, but another program's SQLite file: left as it is",
                    path.string()));
  }
  check_schema_version(path, big_endian(header, kUserVersionOffset));
}

/// How many bytes the file has by its header: the page size, where 1 stands for 65,536, by the
/// number of pages. 0 if the header does not know it.
std::uint64_t whole_size(const Header& header) {
  constexpr std::size_t kPageSize = 16;  // two bytes
  constexpr std::size_t kChanges = 24;
  constexpr std::size_t kPages = 28;
  constexpr std::size_t kPagesValidFor = 92;  // number of changes
  if (big_endian(header, kChanges) != big_endian(header, kPagesValidFor)) return 0;
  const auto page = std::uint64_t{header[kPageSize]} << 8 | header[kPageSize + 1];
  return (page == 1 ? 65'536 : page) * big_endian(header, kPages);
}

/// The size of the journal by which SQLite can undo what is being written to a file that has no
/// log; 0 if there is none.
std::uintmax_t size_of_journal(const std::filesystem::path& store) {
  std::error_code missing;
  const auto size = std::filesystem::file_size(store.string() + "-journal", missing);
  return missing ? 0 : size;
}

struct Extent {
  std::uint64_t size = 0;
  std::uint64_t whole = 0;  ///< by the header

  bool is_cut() const { return size < whole; }
};

/// How much of a file is there. All of it while there is a log: then the file itself may still be
/// as it was before; or while there is a journal: then somebody writes it, or will have to undo
/// that.
Extent extent_of(const std::filesystem::path& path, int descriptor) {
  Header header{};
  struct stat file {};
  if (pread(descriptor, header.data(), header.size(), 0) != std::ssize(header)) return {};
  const std::uint64_t whole = whole_size(header);
  if (fstat(descriptor, &file) != 0) return {};
  if (log_size(path) > 0 || size_of_journal(path) > 0) return {};
  return {static_cast<std::uint64_t>(file.st_size), whole};
}

/// Throws if the end of the file is gone. SQLite reads what is left without a word.
void check_whole(const std::filesystem::path& path, int descriptor) {
  // Somebody may have finished writing it between the looks at the file and at its journal.
  constexpr int kLooks = 4;
  Extent extent = extent_of(path, descriptor);
  for (int i = 1; extent.is_cut() && i < kLooks; ++i) extent = extent_of(path, descriptor);
  if (!extent.is_cut()) return;
  throw InputError(fmt::format(
      "{}: the store is damaged: {} of its {} bytes are there, so rows are missing: take "
      "a copy from before, or save what is left with sqlite3's .recover",
      path.string(), extent.size, extent.whole));
}

void check_content(const std::filesystem::path& path, StoreAccess access, int descriptor) {
  Header header{};
  const ssize_t size = pread(descriptor, header.data(), header.size(), 0);
  if (size < 0) throw EnvironmentError(describe_errno(path.string() + ": cannot be read", errno));
  if (size > 0) {
    check_header(path, header);
    return check_whole(path, descriptor);
  }
  if (log_size(path) > 0) {
    throw InputError(fmt::format(
        "{0}: an empty file, with a log beside it ({0}-wal) that SQLite would delete: the store's "
        "content is lost but for what is in that log: take a copy of the store from before, or "
        "name another store",
        path.string()));
  }
  if (access == StoreAccess::kRead) {
    throw InputError(fmt::format("{}: an empty file: it holds no store yet", path.string()));
  }
}

/// The header of a regular file; nothing if it has none, or cannot be read.
std::optional<Header> header_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  try {
    // With any other descriptor, closing it would drop the locks of a connection to the same file.
    const SharedDescriptor descriptor(resolved(path, StoreAccess::kRead), false);
    Header header{};
    if (pread(descriptor.get(), header.data(), header.size(), 0) == std::ssize(header)) {
      return header;
    }
  } catch (const Error&) {  // opening it as a store tells the user why it cannot be read
  }
  return std::nullopt;
}

}  // namespace

bool is_store(const std::filesystem::path& path) {
  const auto header = header_of(path);
  return header && is_sqlite(*header) &&
         big_endian(*header, kApplicationIdOffset) == kApplicationId;
}

bool is_part_of_database(const std::filesystem::path& path) {
  const std::string name = path.string();
  std::vector<std::string> databases = {name};
  for (const std::string_view part : kSideFiles) {
    if (name.ends_with(part)) databases.push_back(name.substr(0, name.size() - part.size()));
  }
  return std::ranges::any_of(databases, [](const std::string& database) {
    if (log_size(database) > 0) return true;  // all that it holds may be there still
    const auto header = header_of(database);
    return header && is_sqlite(*header);
  });
}

void check_folder(const std::filesystem::path& path) {
  const auto folder = path.parent_path();
  std::error_code error;
  if (std::filesystem::is_directory(folder, error)) return;
  throw InputError(fmt::format("{}: the folder {} does not exist: create it first", path.string(),
                               folder.string()));
}

void check_schema_version(const std::filesystem::path& path, std::uint32_t version) {
  if (version == kSchemaVersion) return;
  const std::string found =
      fmt::format("{}: a store of schema version {}, and this assay, {}, reads version {} alone: ",
                  path.string(), version, program_version(), kSchemaVersion);
  if (version > kSchemaVersion) {
    throw InputError(found +
                     "use a newer assay, or, if none made it, a copy from before: it is damaged");
  }
  const auto* const reader = std::ranges::lower_bound(
      kOlderReaders.begin(), std::prev(kOlderReaders.end()), version, {}, &OlderReader::schema);
  throw InputError(
      found + fmt::format("use assay {}, or name another store and measure anew", reader->version));
}

StoreFile::StoreFile(const std::filesystem::path& path, StoreAccess access)
    : path_(resolved(path, access)),
      access_(access),
      descriptor_(path_, access == StoreAccess::kWrite) {
  check_content(path_, access, descriptor_.get());
  if (access == StoreAccess::kRead) return;
  if (!may_write(path_)) refuse_unwritable(path_);
  if (!may_write(path_.parent_path())) refuse_unwritable(path_.parent_path());
  if (!descriptor_.try_lock()) {
    throw EnvironmentError(fmt::format(
        "{}: another assay is writing this store: wait until it is done, or name another store",
        path_.string()));
  }
}

void StoreFile::check_in_place() const {
  struct stat opened {};
  struct stat found {};
  if (fstat(descriptor_.get(), &opened) != 0) {
    throw EnvironmentError(describe_errno(path_.string() + ": cannot be examined", errno));
  }
  if (stat(path_.c_str(), &found) == 0 && found.st_dev == opened.st_dev &&
      found.st_ino == opened.st_ino) {
    return;
  }
  throw EnvironmentError(fmt::format(
      "{}: the store was deleted, moved or replaced while it was written. What was committed is in "
      "the file that was moved, and gone with one that was deleted: put it back, or start anew, by "
      "the same command",
      path_.string()));
}

bool StoreFile::writable() const { return may_write(path_) && may_write(path_.parent_path()); }

}  // namespace assay
