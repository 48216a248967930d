#pragma once

#include "profiler/support/cache_shape.h"

namespace assay {

/// The data that a core accesses without missing its first level.
struct DataReach {
  CacheShape cache;
  int pages = 64;         ///< of 4 KiB, of which it holds the translations
  int stored_pages = 64;  ///< of those, the ones that stores may go to: some cores hold fewer
};

}  // namespace assay
