#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/protocol/settings.h"

namespace assay {

/// How a block will be run.
struct Plan {
  std::int64_t small_copies = 0;  ///< n
  std::int64_t large_copies = 0;  ///< 2n
};

/// n is about the smallest number of copies that makes `target_instructions`, rounded up so that n
/// and 2n copies end alike (at a multiple of 32 bytes, if that adds little); or less where n and 2n
/// copies with all that runs beside them would not fit the first-level instruction cache
/// (`cache_size`, bytes): they would be timed by how fast they are fetched. kTooLarge if one and
/// two copies do not fit.
std::variant<Plan, Refusal> make_plan(const Block& block, const Settings& settings,
                                      std::size_t cache_size);

}  // namespace assay
