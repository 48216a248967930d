#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include "tests/temporary_folder.h"

namespace assay {

/// Files of a kernel's, in a folder that stands for "/".
class MadeUpRoot {
 public:
  /// Paths from the root, without its slash, with what is in the files.
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
