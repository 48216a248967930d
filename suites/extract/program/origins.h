#pragma once

#include <cstdint>
#include <string>

#include "suites/extract/program/image.h"

namespace assay {

/// Says where an image's blocks were found: "sqlite3:sqlite3VdbeExec", or "sqlite3" where no symbol
/// says more. Quick if blocks come in the order of their addresses.
class Origins {
 public:
  /// The image must outlive this object.
  explicit Origins(const Image& image) : image_(image) {}

  /// The origin of a block at this address; valid until the next call.
  const std::string& of(std::uint64_t address) {
    const FunctionSymbol* const function = image_.function_at(address);
    if (text_.empty() || function != last_) {
      last_ = function;
      text_ = image_.name;
      if (function != nullptr && !function->name.empty()) {
        text_ += ':';
        text_ += function->name;
      }
    }
    return text_;
  }

 private:
  const Image& image_;
  const FunctionSymbol* last_ = nullptr;
  std::string text_;
};

}  // namespace assay
