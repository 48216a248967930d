#pragma once

#include "suites/generate/latency.h"

namespace assay {

/// The form as often in a row as there are registers for, so that none waits for another: each
/// copy writes registers of its own, or memory of its own line, and reads constants. What the form
/// does not leave a choice of (MUL's RDX:RAX, ADC's flags, PUSH's RSP) chains the copies: such a
/// form has one block with the chain ("chained by rax"), and one in which each copy has it broken
/// by a MOV, TEST or the like ("with ..."), which is part of the time. What the form spoils, and
/// cannot run as meant without (the mask of a gather, the count of a REP), is always set anew.
/// Forms of the x87 stack stand between what pushes their operands and what pops the results.
FormBlocks throughput_blocks(const InstructionForm& form);

}  // namespace assay
