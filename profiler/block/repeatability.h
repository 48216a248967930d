#pragma once

#include "profiler/block/zydis.h"

namespace assay {

/// Whether the instruction may have another result when the same code runs again with the same
/// registers and memory, or at another address: it reads a clock, a random number, the number of
/// the processor, a descriptor table, what state is in use, or where an x87 instruction lay.
/// RIP-relative addresses are not meant: they are the same in every copy.
bool may_differ_between_runs(const Decoded& decoded);

}  // namespace assay
