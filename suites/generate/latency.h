#pragma once

#include <string>
#include <variant>
#include <vector>

#include "suites/generate/form.h"
#include "suites/readers/corpus_entry.h"

namespace assay {

/// A block that cannot be made for a form, and why.
struct MissingBlock {
  std::string name;  ///< the beginning of the block's name: "ADD r64, r64; latency 2->1"
  std::string reason;
};

/// The blocks of a form, and those that it should have but that cannot be made.
struct FormBlocks {
  std::vector<CorpusEntry> entries;
  std::vector<MissingBlock> missing;
};

/// One block for each pair of something that the form reads and something that it writes. In it
/// each instruction of the form reads what the one before wrote, by the first of these that is
/// possible:
/// - an operand that is both read and written waits for itself;
/// - the register that is written is also the one that is read;
/// - two instructions of the form alternate ("x2"): each reads what the other one wrote, and the
///   other operands through which it would wait for the other are set to a constant in between;
/// - helpers turn what was written into what is read ("via ..."). Where the value matters (an
///   address, an index and the like), TEST of what was written and CMOV of a constant onto the same
///   constant give it the value that it had.
///
/// Everything else that the form reads and that the block writes is set to a constant before the
/// form, so that no other dependence leads from copy to copy. The block takes the latency of the
/// pair, times the number behind "x", plus those of the helpers.
FormBlocks latency_blocks(const InstructionForm& form);

}  // namespace assay
