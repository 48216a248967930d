#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "suites/extract/block_set.h"
#include "suites/extract/executed_code.h"
#include "suites/extract/image.h"

namespace assay {

/// Why a place that ran gives no block.
enum class NoBlock : std::uint8_t {
  kBranchAlone,  ///< nothing but a branch, which is left out
  kNopsAlone,
  kNotInFile,    ///< the file has no code there, or no instruction that can be decoded
  kBrokenOff,    ///< the file goes on with an instruction that did not run there: the code was
                 ///< another when it ran, or the program ended inside the block
  kTooLong,      ///< longer than kLargestBlock
};
inline constexpr int kNoBlockReasons = 5;
/// "only a branch", "only NOPs", ...
std::string_view describe(NoBlock reason);

struct ExecutedTally {
  std::uint64_t places = 0;      ///< blocks, also where others have the same bytes
  std::uint64_t executions = 0;  ///< of all of them
  std::uint64_t bytes = 0;       ///< of all places
  std::array<std::uint64_t, kNoBlockReasons> skipped{};  ///< places that give none
};

/// Adds the blocks of an image that ran to `blocks`, each as often as it ran, with the object's name
/// and the function's as origin. A block begins where a jump or call went, behind whatever ends a
/// block (ends_block()), and where instructions ran more or less often than the one before; it ends
/// before the next one, or before what ends a block, or behind that with `keep_branch`. How often a
/// repeated instruction (rep) ran is counted without its iterations.
ExecutedTally add_executed_blocks(const Image& image, ExecutedObject& ran, bool keep_branch,
                                  BlockSet& blocks);

}  // namespace assay
