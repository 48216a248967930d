#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "suites/extract/program/image.h"

namespace assay {

/// Says which line of its source code an image's instructions were compiled from, by the DWARF
/// debugging information of a linked program or library. That is looked for in the file itself, and
/// then in the file that the build ID names in a folder for separate debugging information, as
/// Debian's packages install it. Object files have no lines here.
class SourceLines {
 public:
  /// The image must outlive this object. Damaged debugging information counts as none.
  explicit SourceLines(const Image& image, const std::string& folder = "/usr/lib/debug");
  SourceLines(SourceLines&&) noexcept;
  ~SourceLines();

  /// The line of the instruction at this address, "src/deflate.c:1234"; empty if it is not known.
  /// The file's path is relative to the folder that the compiler ran in, if it lies there.
  std::string at(std::uint64_t address);

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace assay
