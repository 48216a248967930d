#pragma once

#include "profiler/block/block.h"
#include "profiler/measurement/settings.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// A block that every core runs evenly when nothing disturbs it. It is measured right after a block
/// that had no number: if the control is disturbed too, it is the moment that both had in common
/// (as in an experiment with a control group). It loads, stores, and does arithmetic that waits for
/// earlier copies and arithmetic that does not, as most blocks do, so that what takes such units
/// away from the core shows in it.
Block control_block();

/// The settings under which the control is run: it must not depend on what is asked of blocks. How
/// precisely it can be measured, which takes longer, is of no interest.
Settings settings_of_control(Settings settings);

/// Whether the core left the control alone: its interval is at most 3 % wide to each side, and no
/// more than one in twenty of its series are surely left out. What disturbed those may have
/// disturbed others too.
bool was_left_alone(const Evaluation& control);

}  // namespace assay
