#pragma once

#include <span>
#include <vector>

#include "profiler/block/bytes.h"
#include "tests/fuzz/random.h"

namespace assay::fuzz {

/// The bytes of each instruction of a block; of the whole block as one piece if decode() refuses
/// it.
std::vector<Bytes> instructions_of(const Bytes& block);

/// The block after one to four changes: flipped bits, another byte, a splice with one of `others`
/// (which may not be empty), instructions deleted, repeated, put in another order or inserted at
/// random, the end cut off.
Bytes mutated(Random& random, const Bytes& block, std::span<const Bytes> others);

}  // namespace assay::fuzz
