#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "suites/extract/program/image.h"

namespace assay {

/// A position in an image's code, as the index into flat arrays with one element for each byte.
using CodeOffset = std::uint32_t;

/// The executable ranges of an image as one row of bytes, in the order of their addresses, with a
/// gap of one offset without a byte behind each range; and where functions begin and end in it.
class CodeSpace {
 public:
  /// The image must outlive it. Throws InputError for more code than offsets can number.
  explicit CodeSpace(const Image& image);

  /// The number of offsets: bytes and gaps.
  std::size_t size() const { return size_; }
  std::size_t code_bytes() const { return size_ - pieces_.size(); }
  /// Bytes that belong to functions by frame entries or symbols.
  std::size_t function_bytes() const { return function_bytes_; }

  /// How many functions there are by frame entries or symbols.
  std::size_t functions() const { return functions_.size(); }

  std::optional<CodeOffset> offset_of(std::uint64_t address) const;
  std::uint64_t address_of(CodeOffset offset) const;
  /// The code from the offset to the end of its range.
  std::span<const std::uint8_t> code_from(CodeOffset offset) const;

  /// A function by a frame entry or a symbol with a size, or the code between two such functions.
  struct Function {
    CodeOffset start = 0;
    CodeOffset end = 0;  ///< its code goes no further
    bool known = false;  ///< a function by a frame entry or symbol, not the code between two
  };
  Function function_at(CodeOffset offset) const;

 private:
  struct Piece {
    std::uint64_t address = 0;
    CodeOffset offset = 0;
    std::span<const std::uint8_t> bytes;
  };

  const Piece& piece_at(CodeOffset offset) const;
  void add_function(std::uint64_t start, std::uint64_t end);

  std::vector<Piece> pieces_;        ///< sorted by address, and so by offset
  std::vector<Function> functions_;  ///< the known ones, disjoint, in order
  std::size_t size_ = 0;
  std::size_t function_bytes_ = 0;
};

}  // namespace assay
