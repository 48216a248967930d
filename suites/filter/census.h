#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "suites/filter/block_facts.h"

namespace assay {

/// How many blocks of a corpus are of one kind, and their weight.
struct Share {
  std::int64_t blocks = 0;  ///< distinct blocks
  double weight = 0;        ///< sum over all their lines that have a weight

  void add(bool is_new, double line_weight) {
    if (is_new) ++blocks;
    weight += line_weight;
  }
};

/// What a corpus holds, by kinds of blocks: the distinct blocks of each kind, and the weights of
/// all their lines. Memory does not grow with the corpus.
struct Census {
  std::int64_t lines = 0;     ///< lines that hold a block
  std::int64_t weighted = 0;  ///< the lines of these that have a weight
  std::int64_t bad_lines = 0;
  Share all;
  std::map<int, Share> instructions;   ///< by number of instructions, without refused blocks
  std::map<std::size_t, Share> bytes;  ///< by size, of all blocks
  std::map<std::string_view, Share> extensions;
  std::array<Share, kMemoryUses> memory;  ///< by MemoryUse
  Share rip_relative;
  std::array<Share, kCodeTraits> traits;
  std::map<Reason, Share> refusals;

  /// Counts a line with a block of `size` bytes; `is_new`: the block has not come before.
  void add(const BlockFacts& facts, std::size_t size, std::optional<double> weight, bool is_new);
};

}  // namespace assay
