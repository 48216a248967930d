#pragma once

#include <filesystem>

namespace assay {

/// A new, empty folder that nobody else may read, in the folder that TMPDIR names (/tmp without).
/// It is removed with this object, with everything in it.
class PrivateFolder {
 public:
  /// Throws EnvironmentError if the folder cannot be made.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  /// To be called when a file that should be in the folder is missing: throws EnvironmentError if
  /// nothing more can be written there, as on a full disk.
  void check_room() const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace assay
