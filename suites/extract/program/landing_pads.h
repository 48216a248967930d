#pragma once

#include <cstdint>

#include "suites/extract/program/image.h"

namespace assay {

/// Reads the call sites of exception tables (.gcc_except_table, the C++ ABI's language-specific
/// data) into the image.
class LandingPadReader {
 public:
  explicit LandingPadReader(Image& image);
  /// Adds the landing pads of a function from the table at `address`; of a damaged table, those
  /// before the damage. Tables of different functions do not overlap: once as many bytes were read
  /// as the image's data has, no more are read.
  void add(const FrameRange& function, std::uint64_t address);

 private:
  Image& image_;
  std::uint64_t left_ = 0;  ///< how many bytes may still be read
};

}  // namespace assay
