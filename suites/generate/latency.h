#pragma once

#include <string>
#include <variant>
#include <vector>

#include "suites/generate/form.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

/// A block that one form cannot have, and why.
struct MissingBlock {
  std::string name;  ///< as the block's would begin: "ADD r64, r64; latency 2->1"
  std::string reason;
};

/// The blocks of a form, and those that it should have and does not.
struct FormBlocks {
  std::vector<CorpusEntry> entries;
  std::vector<MissingBlock> missing;
};

/// One block for each pair of something that the form reads and something that it writes, in which
/// the next instruction of the form reads what the last one wrote. In this order of preference:
/// - an operand that is read and written waits for itself;
/// - the same register is written and read;
/// - two instructions of the form take turns ("x2"): each reads what the other one wrote, and what
///   else they read of it is set to a constant in between;
/// - helpers turn what was written into what is read ("via ..."). What is read as an address, an
///   index or another value that matters gets its own value back: TEST of what was written, then
///   CMOV of a constant onto the constant.
/// Everything else that the form reads and that the block writes is set to a constant before the
/// form, so that no other dependence leads from copy to copy. The cycles of the block are those
/// of the pair, times what stands behind "x", and of the helpers.
FormBlocks latency_blocks(const InstructionForm& form);

}  // namespace assay
