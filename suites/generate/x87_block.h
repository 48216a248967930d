#pragma once

#include "suites/generate/latency.h"

namespace assay {

/// Whether the form reads or writes the x87 stack's registers: its blocks are made here, since each
/// copy has to leave the stack as it was. The number of values that are pushed before and popped
/// behind it is the smallest with which the stack neither over- nor underflows.
bool works_on_x87_stack(const InstructionForm& form);

/// Independent copies: each has its operands pushed by FLD1, and what is left popped by FSTP, which
/// are part of the time ("with FLD1 + FSTP st").
FormBlocks x87_throughput_blocks(const InstructionForm& form);

/// Pairs among the stack's registers and memory operands. What was written goes through memory to
/// what is read next ("via FSTP m64 + FLD m64"). Where it is read from ST(0), written to ST(0) and
/// the stack does not move, the form stands eight times in between ("x8").
FormBlocks x87_latency_blocks(const InstructionForm& form);

}  // namespace assay
