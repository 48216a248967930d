#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/block/bytes.h"
#include "suites/extract/program/image.h"

namespace assay {

/// An image made by a test: code at 0x1000, data at 0x2000.
class MadeImage {
 public:
  static constexpr std::uint64_t kCode = 0x1000;
  static constexpr std::uint64_t kData = 0x2000;

  /// Code and data are hexadecimal digits; blanks and parentheses with what is in them are ignored.
  explicit MadeImage(const std::string& code, const std::string& data = "") {
    image_.name = "made";
    image_.executable = {range(kCode, code)};
    if (!data.empty()) image_.data = {range(kData, data)};
  }
  MadeImage& function(std::uint64_t address, std::uint64_t size, const char* name = "") {
    image_.functions.push_back({address, size, name});
    return *this;
  }
  MadeImage& frame(std::uint64_t start, std::uint64_t end) {
    image_.frames.push_back({start, end});
    return *this;
  }
  MadeImage& landing_pad(std::uint64_t address, std::uint64_t function) {
    image_.landing_pads.push_back({address, function});
    return *this;
  }
  MadeImage& import(std::uint64_t address, const char* name, std::uint64_t target = 0) {
    image_.imports.push_back({address, name, target});
    return *this;
  }
  MadeImage& entry(std::uint64_t address) {
    image_.entries.push_back(address);
    return *this;
  }
  MadeImage& pointed_at(std::uint64_t address) {
    image_.pointed_at.push_back(address);
    return *this;
  }
  MadeImage& unknown_field(std::uint64_t address) {
    image_.unknown_fields.push_back(address);
    return *this;
  }
  const Image& image() const { return image_; }

 private:
  ImageRange range(std::uint64_t address, const std::string& text) {
    std::string digits;
    int depth = 0;
    for (const char c : text) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 && c != ')' && c != ' ') digits += c;
    }
    bytes_.push_back(std::make_shared<const Bytes>(bytes_from_hex(digits)));
    return {address, bytes_.back()->size(), *bytes_.back()};
  }

  std::vector<std::shared_ptr<const Bytes>> bytes_;
  Image image_;
};

}  // namespace assay
