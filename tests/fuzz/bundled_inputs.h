#pragma once

#include <cstdint>

#include "tests/fuzz/inputs.h"

namespace assay::fuzz {

/// Inputs that are made only from files that come with assay: hostile.hex and
/// suites/data/basics.hex.
inline InputSource bundled_inputs(std::uint64_t seed) {
  return {seed, blocks_of(ASSAY_SUITES_DATA "/basics.hex"), blocks_of(ASSAY_HOSTILE_BLOCKS)};
}

}  // namespace assay::fuzz
