#pragma once

#include <cstdint>

#include "suites/extract/dynamic/executed_code.h"
#include "suites/extract/program/image.h"
#include "suites/extract/walk/block_cutter.h"
#include "suites/extract/walk/block_set.h"

namespace assay {

/// Counts of an image's blocks that ran.
struct ExecutedCounts {
  std::uint64_t places = 0;           ///< places with a block; several may have the same bytes
  std::uint64_t executions = 0;       ///< sum over all places
  std::uint64_t bytes = 0;            ///< sum over all places
  std::uint64_t loops = 0;            ///< those of the places where the block is a loop by itself
  std::uint64_t loop_executions = 0;  ///< sum over these
  /// Places that ran but give no block. `open_end` counts those where the file goes on with an
  /// instruction that did not run: the code was another when it ran, or the program ended inside
  /// the block.
  SkippedBlocks skipped;
  std::uint64_t not_in_file = 0;  ///< instructions that ran where the file has none

  ExecutedCounts& operator+=(const ExecutedCounts& other);
};

/// Adds the blocks of an image that ran and were chosen to `blocks`, each with the number of its
/// executions, and with an origin, and loops with a name, as extract_blocks() gives them; the
/// counts are of all that ran. A block begins where a jump or call went, behind an
/// instruction that ends a block, and where an instruction ran more or less often than the one
/// before; it ends as all extracted blocks do (cut_blocks()). A repeated instruction (rep) counts
/// once for each execution, not for each iteration. Throws InputError for an image with more code
/// than offsets can number.
ExecutedCounts add_executed_blocks(const Image& image, ExecutedObject& ran,
                                   const BlockChoice& choice, BlockSet& blocks);

}  // namespace assay
