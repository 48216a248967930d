#pragma once

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/measurement/measurement.h"

namespace assay {

/// Whether the code and the state show by themselves all memory that copies of the block access
/// under this notion: its addresses are fixed (Block::fixed_addresses), and none of them is near
/// assay's own memory in the subject. Such a block can do nothing to what it is measured by. Its
/// trace would not show that: the records of a trace lie where a block may write. Not so for a loop
/// that ends by its own branch, or is tried with it: then the value of a register, from which an
/// address may be computed, differs from size to size.
bool is_seen_whole(const Block& block, Notion notion, const InitialState& state);

}  // namespace assay
