#pragma once

#include "profiler/support/cache_shape.h"

namespace assay {

/// The data that a core accesses without missing its first level.
struct DataReach {
  CacheShape cache;
  /// The pages of 4 KiB for which it holds the translations of stores; they may be fewer than those
  /// of loads.
  int stored_pages = 64;
};

}  // namespace assay
