#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "profiler/block/bytes.h"
#include "suites/block_hash.h"

namespace assay {

/// One of the `count` parts of a corpus. Which part a block is in follows from its content and not
/// from its position in the corpus: it is in exactly one shard, on every machine.
struct Shard {
  std::int64_t index = 1;  ///< from 1 to `count`
  std::int64_t count = 1;
  bool operator==(const Shard&) const = default;
};

/// Whether the shard holds the block with this hash: stable_hash() of the block and its own state.
bool contains(const Shard& shard, std::uint64_t hash);
/// Whether the shard holds this block, which has no state of its own.
bool contains(const Shard& shard, const Bytes& block);

/// Parses "2/8", the second of eight shards; nothing if `text` is no such pair.
std::optional<Shard> shard_from(std::string_view text);

}  // namespace assay
