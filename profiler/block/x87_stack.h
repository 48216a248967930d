#pragma once

#include "profiler/block/block.h"

namespace assay {

/// Whether the x87 stack over- or underflows when the block is repeated from an empty one: each
/// copy leaves one more register on it, say, or reads one that is not there. Decided by the code
/// alone: the tags of the eight registers and the top are followed from copy to copy until they
/// come again. True too where the tags come from memory (fldenv, frstor), and so cannot be told.
///
/// Sources: Intel SDM volume 1, 8.1.2 and 8.5.1.1 (stack overflow and underflow), 9.5 (what MMX
/// instructions do to the tags), and volume 2 on each instruction. What is left out of the scope
/// of others for it: Abel and Reineke, uiCA (ICS 2022), whose rule (github.com/andreas-abel/
/// uiCA-eval, filterCsv.py) takes pushes, pops and reads into account as this does.
bool unbalances_x87_stack(const Block& block);

}  // namespace assay
