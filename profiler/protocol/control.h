#pragma once

#include "profiler/block/block.h"

namespace assay {

/// A block that every core runs evenly when nothing disturbs it. It is measured right after a block
/// that had no number: if the control is disturbed too, it is the moment that both had in common
/// (as in an experiment with a control group). It loads, stores, and does arithmetic that waits for
/// earlier copies and arithmetic that does not, as most blocks do, so that what takes such units
/// away from the core shows in it.
Block control_block();

}  // namespace assay
