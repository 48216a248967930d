#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

#include "suites/filter/block_facts.h"

namespace assay {

/// How many blocks are of a kind.
struct Share {
  std::int64_t blocks = 0;  ///< distinct ones
  double weight = 0;        ///< of all their lines that have one

  void add(bool is_new, double line_weight) {
    if (is_new) ++blocks;
    weight += line_weight;
  }
};

/// What a corpus holds, by kinds: distinct blocks, and the weights of all lines. Memory does not
/// grow with the corpus.
struct Census {
  std::int64_t lines = 0;     ///< with a block
  std::int64_t weighted = 0;  ///< of them with a weight
  std::int64_t bad_lines = 0;
  Share all;
  std::map<int, Share> instructions;   ///< by their number; of blocks that are not refused
  std::map<std::size_t, Share> bytes;  ///< of all
  std::map<std::string_view, Share> extensions;
  std::array<Share, kMemoryUses> memory;  ///< by MemoryUse
  Share rip_relative;
  std::array<Share, kCodeTraits> traits;
  std::map<Reason, Share> refusals;

  /// A line with a block; `is_new`: it has not come before.
  void add(const BlockFacts& facts, std::size_t size, std::optional<double> weight, bool is_new);
};

}  // namespace assay
