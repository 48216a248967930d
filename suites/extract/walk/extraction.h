#pragma once

#include <cstdint>
#include <functional>

#include "suites/extract/program/image.h"
#include "suites/extract/walk/block_cutter.h"
#include "suites/extract/walk/block_set.h"
#include "suites/extract/walk/code_walk.h"

namespace assay {

/// Counts of what was found and extracted, of one image or summed over several.
struct ExtractionCounts {
  std::int64_t images = 0;
  std::int64_t functions = 0;       ///< frame entries, and symbols that have none
  std::int64_t code_bytes = 0;      ///< in executable ranges
  std::int64_t function_bytes = 0;  ///< those of code_bytes in functions, by frames or symbols
  std::int64_t reached_bytes = 0;   ///< in instructions that were decoded
  std::int64_t blocks = 0;          ///< places that have a block
  std::int64_t block_bytes = 0;     ///< sum over all these places
  std::int64_t loops = 0;           ///< those of these places where the block is a loop by itself
  WalkCounts walk;
  SkippedBlocks skipped;

  ExtractionCounts& operator+=(const ExtractionCounts& other);
};

struct ExtractionOptions {
  BlockChoice choice = {};
  /// Called now and then with the number of bytes of this image's code that were reached; returns
  /// whether to go on.
  std::function<bool(std::size_t reached)> goes_on = [](std::size_t) { return true; };
};

/// Adds the blocks of an image's code that were chosen to the set, each with the count 1 for every
/// place, and with an origin, and loops with a name, as BlockCollector gives them. Returns what was
/// found and skipped, chosen or not, of a part of the image if `goes_on` returned false.
ExtractionCounts extract_blocks(const Image& image, const ExtractionOptions& options,
                                BlockSet& blocks);

}  // namespace assay
