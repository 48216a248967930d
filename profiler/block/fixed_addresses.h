#pragma once

#include <span>

#include "profiler/block/block.h"

namespace assay {

/// Whether every address that these instructions access memory at is the same each time they are
/// run from the same registers, one time behind the other: none of them writes to a general
/// register that any of these addresses is computed from. What the first copy of such a block
/// accesses is then all that any does, whatever it knows of when and how it is run. False for
/// gathers and scatters, whose addresses come from vector registers, and where an access is not
/// known by its operands.
bool have_fixed_addresses(const Bytes& bytes, std::span<const Instruction> instructions);

}  // namespace assay
