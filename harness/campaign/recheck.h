#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "profiler/block/block_spec.h"

namespace assay {

/// The blocks that are to be measured again: a share of all, the same ones in every call and on
/// every machine, and apart from how shards are cut.
class RecheckList {
 public:
  /// `percent`: from 0 to 100.
  explicit RecheckList(double percent) : percent_(percent) {}

  /// Keeps the block if it is one of them. `hash`: its stable_hash().
  void add(const BlockSpec& block, std::uint64_t hash);
  /// The first that was not taken yet; nothing when all were.
  std::optional<BlockSpec> take();

 private:
  double percent_;
  std::deque<BlockSpec> kept_;
};

}  // namespace assay
