#pragma once

#include "profiler/machine/features.h"

namespace assay {

/// The CPU's features as they are, with near or with far jumps to the copies, for as long as this
/// lives.
class AssumedJumps {
 public:
  explicit AssumedJumps(bool far) {
    Features assumed = here_;
    assumed.code_segment = far ? 0x33 : 0;
    assume_features(assumed);
  }
  ~AssumedJumps() { assume_features(here_); }
  AssumedJumps(const AssumedJumps&) = delete;
  AssumedJumps& operator=(const AssumedJumps&) = delete;

 private:
  const Features here_ = features();
};

}  // namespace assay
