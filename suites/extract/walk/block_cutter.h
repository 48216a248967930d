#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "suites/extract/walk/code_space.h"

namespace assay {

/// How many pieces of code were reached but give no block, by reason.
struct SkippedBlocks {
  std::int64_t branch_alone = 0;   ///< a branch, call or return with nothing before it
  std::int64_t filling = 0;        ///< nothing but nops and endbr64
  std::int64_t too_large = 0;      ///< more bytes than are decoded as one block
  std::int64_t disputed = 0;       ///< some of its instructions overlap others
  std::int64_t open_end = 0;       ///< leads to bytes that are not code, or past its function's end
  std::int64_t unknown_field = 0;  ///< holds an object file's field that only a linker can fill in

  SkippedBlocks& operator+=(const SkippedBlocks& other);
};

/// Which of the blocks that code is cut into are taken, and where they end.
struct BlockChoice {
  bool keep_branch = false;  ///< a direct jump at a block's end is part of it
  /// Only loops of one block, each with the branch that makes it one, whatever keep_branch says.
  bool loops = false;

  bool with_branch() const { return keep_branch || loops; }
};

struct CutBlock {
  CodeOffset offset = 0;
  std::span<const std::uint8_t> bytes;
  /// The direct jump that follows or ends the block, conditional or not, leads to its first byte:
  /// the block is a loop by itself, and an innermost one.
  bool loop = false;
};

/// Cuts the code that `marks` (of CodeMark) describe into blocks. A block begins where control
/// comes from elsewhere, or behind a branch, and ends at the next such place, without the branch;
/// with `keep_branch`, a direct jump at the end is part of the block. Calls `use` with each block,
/// in the order of their addresses, until it returns false; returns what was skipped.
SkippedBlocks cut_blocks(const CodeSpace& space, std::span<const std::uint8_t> marks,
                         bool keep_branch, const std::function<bool(const CutBlock&)>& use);

}  // namespace assay
