#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/block/bytes.h"
#include "suites/stable_hash.h"

namespace assay {

/// One of several parts that a corpus is cut into, by what its blocks are and not where they stand:
/// each block is in exactly one of them, on every machine.
struct Shard {
  std::int64_t index = 1;  ///< from 1 to `count`
  std::int64_t count = 1;
  bool operator==(const Shard&) const = default;
};

/// `hash`: the stable_hash() of a block with its own state.
bool contains(const Shard& shard, std::uint64_t hash);
/// Of a block without a state of its own.
bool contains(const Shard& shard, const Bytes& block);

/// What "2/8" says; nothing for what is no shard.
std::optional<Shard> shard_from(std::string_view text);

}  // namespace assay
