#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "suites/extract/program/image.h"
#include "suites/extract/program/origins.h"
#include "suites/extract/program/source_lines.h"
#include "suites/extract/walk/block_cutter.h"
#include "suites/extract/walk/block_set.h"

namespace assay {

/// Adds those blocks of an image that were chosen to a set, each with its origin (Origins). Where
/// only loops were chosen, each has its place as its name: address, function with offset, and
/// source line, as far as they are known: "0x4c3f longest_match+0x5f deflate.c:1234".
class BlockCollector {
 public:
  /// Image and set must outlive this object.
  BlockCollector(const Image& image, const BlockChoice& choice, BlockSet& blocks);

  /// Adds the block, which was found at this address, with this count; or nothing, if it was not
  /// chosen. Quick if blocks come in the order of their addresses.
  void add(const CutBlock& block, std::uint64_t address, std::uint64_t count);

 private:
  std::string place_of(std::uint64_t address);

  const Image& image_;
  bool only_loops_;
  BlockSet& blocks_;
  Origins origins_;
  std::optional<SourceLines> lines_;  ///< opened for the first loop
};

}  // namespace assay
