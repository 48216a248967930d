#pragma once

#include <string>
#include <vector>

#include "suites/generate/block_draft.h"

namespace assay {

/// Code that makes what the next instruction reads depend on what the last one wrote.
struct Chain {
  Bytes code;
  std::vector<std::string> helpers;  ///< forms on the path, whose latencies count, in order
  bool writes_flags = false;
};

/// The chain from `written` to the operand `read` of the next instruction; both instructions are of
/// the draft's form and have the same choice of registers. Throws NoBlock if no helper can do it,
/// or if there are too few registers.
Chain chain_between(BlockDraft& draft, const OperandUse& written, const OperandUse& read,
                    const OperandChoice& choice);

}  // namespace assay
