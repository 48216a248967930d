#pragma once

#include <filesystem>

namespace assay {

/// A new, empty folder that nobody else may read, where TMPDIR says (/tmp). It goes at the end with
/// all that is in it.
class PrivateFolder {
 public:
  /// Throws EnvironmentError if there is no place for it.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// For when something that should be in it is missing: throws EnvironmentError if nothing more
  /// can be written to it, as on a full disk.
  void check_room() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay
