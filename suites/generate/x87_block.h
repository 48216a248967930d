#pragma once

#include "suites/generate/latency.h"

namespace assay {

/// Whether the form reads or writes registers of the x87 stack. The functions below make the blocks
/// of such forms, in which each copy has to leave the stack as it was: as few values as possible
/// are pushed before the form and popped behind it so that the stack neither over- nor underflows.
bool works_on_x87_stack(const InstructionForm& form);

/// A block of independent copies. Each pushes the form's operands by FLD1 and pops what is left by
/// FSTP; these are part of the time ("with FLD1 + FSTP st").
FormBlocks x87_throughput_blocks(const InstructionForm& form);

/// One block for each pair of a stack register or memory operand that is read and one that is
/// written. What was written reaches what is read next through memory ("via FSTP m64 + FLD m64").
/// If the form reads ST(0), writes ST(0) and does not move the stack, it stands there eight times
/// in a row ("x8").
FormBlocks x87_latency_blocks(const InstructionForm& form);

}  // namespace assay
