#pragma once

#include "profiler/block/block.h"

namespace assay {

/// Whether a load of the block may read what a store of it wrote, in its own copy or an earlier
/// one, in a way that the values of the registers decide and not the code: the two addresses are
/// made of different registers, or of a register that has got an unknown value between. Where both
/// are made of the same registers, which only constants were added to, the code shows for all
/// copies whether they meet: that is no such case, met or not.
///
/// Sound: false is a proof, for whatever the registers hold at first, of all copies but the first
/// ones, until which constants and moves have come through all registers. Addresses are followed
/// through moves, additions of constants, lea of one register, push and pop; any other way to
/// compute a register makes it unknown.
///
/// Others leave such blocks out of their scope: Abel and Reineke, uiCA (ICS 2022); their rule
/// (github.com/andreas-abel/uiCA-eval, filterCsv.py, exclMemRWDiffAddr) takes any two different
/// operands for different addresses, and any change of a register for an unknown one.
bool may_alias(const Block& block);

}  // namespace assay
