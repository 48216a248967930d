#pragma once

#include <filesystem>

#include "tests/temporary_folder.h"

namespace assay::fuzz {

/// While an object of this class lives, a new, empty folder is this process's current folder and
/// its folder for temporary files, so that every file that appears in one of these is noticed, and
/// none of other programs.
class OwnFolder {
 public:
  OwnFolder() : former_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder_.path());
  }
  ~OwnFolder() { std::filesystem::current_path(former_); }
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

 private:
  TemporaryFolder folder_;
  std::filesystem::path former_;
  TemporaryFilesIn files_{folder_.path()};
};

}  // namespace assay::fuzz
