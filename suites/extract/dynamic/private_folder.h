#pragma once

#include <filesystem>

#include "profiler/support/descriptor.h"

namespace assay {

/// A new, empty folder that nobody else may read, in the folder that TMPDIR names (/tmp without).
/// It is removed with this object, with everything in it; if this process is killed before, at
/// whatever moment, by another that is no child of it and waits for that.
class PrivateFolder {
 public:
  /// Throws EnvironmentError if the folder cannot be made, or no process started that removes it.
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
  Descriptor keeper_;  ///< to the process that removes the folder after this one has been killed
};

}  // namespace assay
