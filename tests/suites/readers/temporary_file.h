#pragma once

#include <string>
#include <string_view>

namespace assay {

/// A file of its own in the folder for temporary files, removed with this object.
class TemporaryFile {
 public:
  /// `suffix` ends the file's name: ".csv".
  explicit TemporaryFile(std::string_view content, const std::string& suffix = ".txt");
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace assay
