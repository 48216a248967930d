#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "tests/temporary_folder.h"

namespace assay {

/// Files as a kernel shows them, in a folder that stands for "/".
class MadeUpRoot {
 public:
  /// `files`: contents of files by their paths from the root, without the first slash.
  MadeUpRoot(std::initializer_list<std::pair<const char*, std::string>> files = {}) {
    for (const auto& [name, content] : files) set(name, content);
  }

  void set(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    write_file(path, content);
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace assay
