#pragma once

#include <cstdint>
#include <filesystem>

#include "results/store/shared_descriptor.h"

namespace assay {

enum class StoreAccess {
  kRead,   ///< the store must exist
  kWrite,  ///< it is created if it does not; one Store at a time
};

/// Throws InputError, which says which assay reads it, unless a store of this schema version is
/// one of this assay's.
void check_schema_version(const std::filesystem::path& path, std::uint32_t version);

/// Whether it is a regular file that begins as a store does, an SQLite file with assay's
/// application id, of whatever schema version. Never throws.
bool is_store(const std::filesystem::path& path);

/// The file of a store, checked before SQLite sees it, so that a file which is refused stays as it
/// is, byte for byte, and nothing is left beside it. With kWrite it also keeps out a second writer.
/// It must outlive the SQLite connection (see SharedDescriptor).
class StoreFile {
 public:
  /// Throws InputError for what is no store or one of another schema version, EnvironmentError for
  /// one that another Store is writing or that permissions keep from being used so.
  StoreFile(const std::filesystem::path& path, StoreAccess access);

  /// Absolute and free of symbolic links.
  const std::filesystem::path& path() const { return path_; }
  StoreAccess access() const { return access_; }
  /// Whether the file and its folder, in which SQLite puts files of its own, may be written.
  bool writable() const;
  /// Throws EnvironmentError if path() does not lead to the file that was opened any more: nobody
  /// would find what is written to it.
  void check_in_place() const;

 private:
  std::filesystem::path path_;
  StoreAccess access_;
  SharedDescriptor descriptor_;
};

}  // namespace assay
