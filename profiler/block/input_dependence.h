#pragma once

#include "profiler/block/zydis.h"

namespace assay {

/// Whether the instruction's own time is known to depend on the values of its operands, on some
/// x86-64 core: a number that was measured with one initial state says little of another. What
/// depends on values through addresses (cache misses, forwarding) or through subnormal numbers is
/// not meant.
///
/// Sources: Fog, "Instruction tables" (agner.org), where time is given as a range that is not
/// explained by the operands' kind; Intel, "Data Operand Independent Timing Instruction Set
/// Architecture Guidance", on what is left out of its list; Abel and Reineke, uops.info, which has
/// rows of high and low values for divisions.
bool is_input_dependent(const Decoded& decoded);

}  // namespace assay
