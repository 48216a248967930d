#pragma once

#include <cstdint>

#include "suites/extract/image.h"

namespace assay {

/// Reads the call sites of exception tables (.gcc_except_table, the C++ ABI's language-specific
/// data) into the image.
class LandingPadReader {
 public:
  explicit LandingPadReader(Image& image);
  /// Adds the landing pads of a function from the table at `address`; none if it is damaged. Tables
  /// of different functions do not overlap: once more was read than there is, no more is.
  void add(const FrameRange& function, std::uint64_t address);

 private:
  Image& image_;
  std::uint64_t left_ = 0;  ///< bytes that may be read still
};

}  // namespace assay
