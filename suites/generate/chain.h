#pragma once

#include <string>
#include <vector>

#include "suites/generate/block_draft.h"

namespace assay {

/// What leads from what one instruction wrote to what the next one reads.
struct Chain {
  Bytes code;
  std::vector<std::string> helpers;  ///< forms on the way, whose latency counts, in order
  bool writes_flags = false;
};

/// The chain from `written` to `read` of the next instruction of the draft's form with the same
/// choice. Throws NoBlock if no helper does it, or there are too few registers.
Chain chain_between(BlockDraft& draft, const OperandUse& written, const OperandUse& read,
                    const OperandChoice& choice);

}  // namespace assay
