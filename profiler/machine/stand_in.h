#pragma once

#include <optional>

#include "profiler/block/block.h"
#include "profiler/machine/instruction_support.h"

namespace assay {

/// Refuses a block with an instruction that this machine lacks and would run as another one,
/// without a fault (tzcnt as bsf), so that its number would not be the block's: the first of them.
/// What the machine lacks and faults on is not refused: that shows when it is run, and CPUID may
/// hide what a CPU can do.
std::optional<Outcome> refuse_stand_ins(const Block& block, const InstructionSupport& support);

}  // namespace assay
