#pragma once

#include "suites/generate/latency.h"

namespace assay {

/// Blocks with as many instructions of the form in a row as there are registers for, so that none
/// waits for another: each writes registers of its own, or memory in a line of its own, and reads
/// constants. Registers and flags that the form fixes (MUL's RDX:RAX, ADC's flags, PUSH's RSP)
/// chain the instructions. Such a form has one block with the chain ("chained by rax"), and one in
/// which a MOV, TEST or the like before each instruction breaks it ("with ..."), which is part of
/// the time. Values that the form needs and overwrites (the mask of a gather, the count of a REP)
/// are always set anew. A form of the x87 stack stands between instructions that push its operands
/// and pop its results.
FormBlocks throughput_blocks(const InstructionForm& form);

}  // namespace assay
