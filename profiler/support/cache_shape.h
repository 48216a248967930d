#pragma once

namespace assay {

/// A cache with lines of 64 bytes (kCacheLine), which go to its sets in turn.
struct CacheShape {
  int sets = 64;
  int ways = 8;
};

}  // namespace assay
