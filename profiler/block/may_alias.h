#pragma once

#include "profiler/block/block.h"

namespace assay {

/// Whether a load of the block may read what one of its stores wrote, in the same copy or in an
/// earlier one, depending on the values of registers and not on the code: the two addresses are
/// made of different registers, or of one register that was given an unknown value in between.
/// Where both addresses are made of the same registers, to which only constants were added, the
/// code shows for all copies whether they meet; this function is false for that case, whether they
/// meet or not.
///
/// Sound: false is a proof, whatever the registers hold at first, for all copies except the first
/// few, in which constants and moves have not yet come through all registers. Addresses are
/// followed through moves, additions of constants, lea of one register, push and pop; any other way
/// to compute a register makes it unknown.
///
/// Others exclude such blocks: Abel and Reineke, uiCA (ICS 2022). Their rule
/// (github.com/andreas-abel/uiCA-eval, filterCsv.py, exclMemRWDiffAddr) takes any two different
/// operands for different addresses, and any change of a register for an unknown one.
bool may_alias(const Block& block);

}  // namespace assay
