#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/block/bytes.h"

namespace assay {

/// The blocks that are to be measured again: a share of all, the same ones in every call and on
/// every machine, and apart from how shards are cut. Takes two bytes more than the blocks.
class RecheckList {
 public:
  /// `percent`: from 0 to 100.
  explicit RecheckList(double percent) : percent_(percent) {}

  /// Keeps the block if it is one of them. `hash`: its stable_hash().
  void add(const Bytes& block, std::uint64_t hash);
  /// The first that was not taken yet; nothing when all were.
  std::optional<Bytes> take();

 private:
  double percent_;
  std::vector<std::uint8_t> blocks_;  ///< each behind its size in two bytes
  std::size_t next_ = 0;
};

}  // namespace assay
