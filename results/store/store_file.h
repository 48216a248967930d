#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "results/store/shared_descriptor.h"

namespace assay {

enum class StoreAccess {
  kRead,   ///< the store must exist
  kWrite,  ///< the store is created if it does not exist; only one Store at a time may write it
};

/// Throws InputError if the folder of this absolute path does not exist.
void check_folder(const std::filesystem::path& path);

/// Throws InputError if this assay does not read stores of this schema version; the message says
/// which assay does.
void check_schema_version(const std::filesystem::path& path, std::uint32_t version);

/// Whether `path` is a regular file that begins as a store does: as an SQLite file with assay's
/// application id, of any schema version. Never throws.
bool is_store(const std::filesystem::path& path);

/// What the names of the files that SQLite keeps beside a database add to its own.
inline constexpr std::array<std::string_view, 3> kSideFiles = {"-wal", "-shm", "-journal"};

/// Whether `path` is where an SQLite database is, assay's or not, or one of the files that SQLite
/// keeps beside one: to write to it would destroy what the database holds. Never throws.
bool is_part_of_database(const std::filesystem::path& path);

/// The file of a store, checked before SQLite sees it, so that a file that is refused stays as it
/// is, byte for byte, and nothing is left beside it. With kWrite it also keeps out a second writer.
/// It must outlive the SQLite connection (see SharedDescriptor).
class StoreFile {
 public:
  /// Throws InputError if the file is not a store or one of another schema version, and
  /// EnvironmentError if another Store is writing it or permissions do not allow this access.
  StoreFile(const std::filesystem::path& path, StoreAccess access);

  /// The path of the file, absolute and with symbolic links resolved.
  const std::filesystem::path& path() const { return path_; }
  StoreAccess access() const { return access_; }
  /// Whether the file and its folder, in which SQLite puts files of its own, may be written.
  bool writable() const;
  /// Throws EnvironmentError if path() no longer leads to the file that was opened: nobody would
  /// find what is written to it.
  void check_in_place() const;

 private:
  std::filesystem::path path_;
  StoreAccess access_;
  SharedDescriptor descriptor_;
};

}  // namespace assay
