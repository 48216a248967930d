#pragma once

#include <cstdint>
#include <functional>

#include "suites/extract/block_cutter.h"
#include "suites/extract/block_set.h"
#include "suites/extract/code_walk.h"
#include "suites/extract/image.h"

namespace assay {

/// What extraction came to, of one image or, summed up, of several.
struct ExtractionCounts {
  std::int64_t images = 0;
  std::int64_t functions = 0;       ///< frame entries, and symbols that have none
  std::int64_t code_bytes = 0;      ///< of executable ranges
  std::int64_t function_bytes = 0;  ///< of them in functions, by frame entries or symbols
  std::int64_t reached_bytes = 0;   ///< of instructions that were decoded
  std::int64_t blocks = 0;          ///< places with one
  std::int64_t block_bytes = 0;     ///< in all of them
  WalkCounts walk;
  SkippedBlocks skipped;

  ExtractionCounts& operator+=(const ExtractionCounts& other);
};

struct ExtractionOptions {
  bool keep_branch = false;  ///< blocks end behind a direct jump instead of before it
  /// Asked now and then whether to go on, and told how many bytes of this image's code were
  /// reached.
  std::function<bool(std::size_t reached)> goes_on = [](std::size_t) { return true; };
};

/// Adds the blocks of an image's code to the set, each with the count 1 for every place, and with
/// an origin like "sqlite3:sqlite3VdbeExec", or "sqlite3" where no symbol says more. What was found
/// and skipped; if `goes_on` says no, of a part of it.
ExtractionCounts extract_blocks(const Image& image, const ExtractionOptions& options,
                                BlockSet& blocks);

}  // namespace assay
