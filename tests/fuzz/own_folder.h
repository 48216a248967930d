#pragma once

#include <cstdlib>
#include <filesystem>

#include "tests/temporary_folder.h"

namespace assay::fuzz {

/// While an object of this class lives, a new, empty folder is this process's current folder and
/// its folder for temporary files, so that every file that appears in one of these is noticed, and
/// none of other programs.
class OwnFolder {
 public:
  OwnFolder() : former_(std::filesystem::current_path()) {
    if (const char* temporary = std::getenv("TMPDIR")) former_temporary_ = temporary;
    std::filesystem::current_path(folder_.path());
    setenv("TMPDIR", folder_.path().c_str(), 1);
  }
  ~OwnFolder() {
    std::filesystem::current_path(former_);
    former_temporary_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", former_temporary_.c_str(), 1);
  }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  TemporaryFolder folder_;
  std::filesystem::path former_;
  std::string former_temporary_;  ///< TMPDIR before; empty if it was not set
};

}  // namespace assay::fuzz
