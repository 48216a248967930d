#pragma once

#include <string>
#include <string_view>

#include "tests/temporary_folder.h"

namespace assay {

/// A temporary file, which is removed together with this object.
class TemporaryFile {
 public:
  /// `suffix` ends the file's name: ".csv".
  explicit TemporaryFile(std::string_view content, const std::string& suffix = ".txt")
      : path_(folder_.write("file" + suffix, content)) {}

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder folder_;
  std::string path_;
};

}  // namespace assay
