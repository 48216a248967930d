#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "suites/extract/code_space.h"

namespace assay {

/// Code that was reached and gives no block, by why.
struct SkippedBlocks {
  std::int64_t branch_alone = 0;   ///< a branch, call or return with nothing before it
  std::int64_t filling = 0;        ///< nops and endbr64 alone
  std::int64_t too_large = 0;      ///< more bytes than are decoded as one block
  std::int64_t disputed = 0;       ///< instructions overlap
  std::int64_t open_end = 0;       ///< goes on to what is no code, or past its function's end
  std::int64_t unknown_field = 0;  ///< an object file's field that only its linker can fill in

  SkippedBlocks& operator+=(const SkippedBlocks& other);
};

struct CutBlock {
  CodeOffset offset = 0;
  std::span<const std::uint8_t> bytes;
};

/// Cuts what a CodeWalk has marked into blocks: from where control comes from elsewhere, or from
/// behind a branch, up to the next such place, without the branch; with `keep_branch` a direct jump
/// at the end is part of it. Calls `use` with each, in the order of their addresses, until it says
/// no; returns what was skipped.
SkippedBlocks cut_blocks(const CodeSpace& space, std::span<const std::uint8_t> marks,
                         bool keep_branch, const std::function<bool(const CutBlock&)>& use);

}  // namespace assay
