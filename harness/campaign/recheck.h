#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "profiler/block/block_spec.h"

namespace assay {

/// The blocks that are to be rechecked: a share of all blocks, the same ones in every call and on
/// every machine, however the corpus is cut into shards.
class RecheckList {
 public:
  /// `percent`: from 0 to 100.
  explicit RecheckList(double percent) : percent_(percent) {}

  /// Keeps the block if it is to be rechecked. `hash`: its stable_hash().
  void add(const BlockSpec& block, std::uint64_t hash);
  /// Takes the first block that is left; nothing if none is.
  std::optional<BlockSpec> take();

 private:
  double percent_;
  std::deque<BlockSpec> kept_;
};

}  // namespace assay
