#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/block/bytes.h"
#include "results/store/block_record.h"

namespace assay {

/// The blocks that are to be measured again: a share of all, the same ones in every call and on
/// every machine, and apart from how shards are cut. Takes four bytes more than each block and its
/// state.
class RecheckList {
 public:
  /// `percent`: from 0 to 100.
  explicit RecheckList(double percent) : percent_(percent) {}

  /// Keeps the block if it is one of them. `state`: the initial state of its own, or empty; `hash`:
  /// the stable_hash() of both.
  void add(const Bytes& block, std::string_view state, std::uint64_t hash);
  /// The first that was not taken yet, without its text; nothing when all were.
  std::optional<BlockRecord> take();

 private:
  void keep(std::span<const std::uint8_t> bytes);
  std::span<const std::uint8_t> next();

  double percent_;
  std::vector<std::uint8_t>
      kept_;  ///< bytes and state of each, both behind their size in two bytes
  std::size_t next_ = 0;
};

}  // namespace assay
