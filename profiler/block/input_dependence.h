#pragma once

#include "profiler/block/zydis.h"

namespace assay {

/// Whether the instruction's own time is known to depend on the values of its operands on some
/// x86-64 core, so that a number measured with one initial state says little about another. Not
/// meant are instructions whose time depends on values through addresses (cache misses, forwarding)
/// or through subnormal numbers.
///
/// Sources: Fog, "Instruction tables" (agner.org), where a time is given as a range that the kind
/// of the operands does not explain; Intel, "Data Operand Independent Timing Instruction Set
/// Architecture Guidance", for what is missing from its list; Abel and Reineke, uops.info, which
/// has separate rows for high and low values of divisions.
bool is_input_dependent(const Decoded& decoded);

}  // namespace assay
