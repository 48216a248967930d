#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace assay {

/// The content of a file, mapped into memory: parts that nobody looks at are never read.
class MappedFile {
 public:
  /// Maps a file. Throws InputError, with the errno in words, if it cannot be opened, is no regular
  /// file, or is empty.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::span<const std::uint8_t> bytes_;
};

}  // namespace assay
