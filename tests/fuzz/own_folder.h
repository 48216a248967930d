#pragma once

#include <cstdlib>
#include <filesystem>

#include "tests/temporary_folder.h"

namespace assay::fuzz {

/// Makes a new, empty folder the current and the temporary one of this process until its end, so
/// that a file that appears in either is seen, and none of others' is.
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
  std::string former_temporary_;  ///< empty: none was set
};

}  // namespace assay::fuzz
