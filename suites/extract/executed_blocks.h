#pragma once

#include <cstdint>

#include "suites/extract/block_cutter.h"
#include "suites/extract/block_set.h"
#include "suites/extract/executed_code.h"
#include "suites/extract/image.h"

namespace assay {

/// What an image's blocks that ran came to.
struct ExecutedCounts {
  std::uint64_t places = 0;      ///< with a block, also where others have the same bytes
  std::uint64_t executions = 0;  ///< of all of them
  std::uint64_t bytes = 0;       ///< in all places
  /// Places without one. With an open end, the file goes on with an instruction that did not run
  /// there: the code was another when it ran, or the program ended inside the block.
  SkippedBlocks skipped;
  std::uint64_t not_in_file = 0;  ///< instructions that ran where the file has none

  ExecutedCounts& operator+=(const ExecutedCounts& other);
};

/// Adds the blocks of an image that ran to `blocks`, each with the number of its executions and
/// with an origin as extract_blocks() gives. A block begins where a jump or call went, behind
/// whatever ends one, and where instructions ran more or less often than the one before; it ends as
/// all extracted blocks do (cut_blocks()). How often a repeated instruction (rep) ran is counted
/// without its iterations. Throws InputError for an image with more code than can be numbered.
ExecutedCounts add_executed_blocks(const Image& image, ExecutedObject& ran, bool keep_branch,
                                   BlockSet& blocks);

}  // namespace assay
