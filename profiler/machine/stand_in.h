#pragma once

#include <optional>

#include "profiler/block/block.h"
#include "profiler/machine/instruction_support.h"

namespace assay {

/// Refuses a block with an instruction that this machine lacks and would silently run as another
/// one (tzcnt as bsf), so that the number would not be the block's. The detail names the first such
/// instruction. Instructions that fault if the machine lacks them are not refused: that shows when
/// they are run, and CPUID may hide what a CPU can do.
std::optional<Outcome> refuse_stand_ins(const Block& block, const InstructionSupport& support);

}  // namespace assay
