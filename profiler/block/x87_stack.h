#pragma once

#include "profiler/block/block.h"

namespace assay {

/// Whether the x87 stack overflows or underflows if the block is repeated, beginning with an empty
/// stack: for example, because each copy leaves one more register on it, or reads one that is not
/// there. Decided by the code alone: the tags of the eight registers and the top are followed from
/// copy to copy until they recur. Also true if the tags come from memory (fldenv, frstor) and so
/// are unknown.
///
/// Sources: Intel SDM volume 1, 8.1.2 and 8.5.1.1 (stack overflow and underflow), 9.5 (what MMX
/// instructions do to the tags), and volume 2 on each instruction. Others exclude such blocks: Abel
/// and Reineke, uiCA (ICS 2022), whose rule (github.com/andreas-abel/uiCA-eval, filterCsv.py)
/// considers pushes, pops and reads, as this one does.
bool unbalances_x87_stack(const Block& block);

}  // namespace assay
