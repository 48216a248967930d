#pragma once

#include "profiler/block/bytes.h"
#include "tests/fuzz/random.h"

namespace assay::fuzz {

/// A random instruction that decodes, of any opcode map (legacy, 3DNow!, VEX, EVEX, XOP), with
/// random prefixes, operands, displacements and immediates. Displacements are mostly small, so that
/// many addresses can be mapped. Of the instructions that decode() refuses only one in twenty is
/// let through, so that most blocks made of such instructions run.
Bytes random_instruction(Random& random);

/// So many random instructions in a row.
Bytes random_instructions(Random& random, std::size_t count);

}  // namespace assay::fuzz
