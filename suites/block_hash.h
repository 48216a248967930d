#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/block/block_spec.h"
#include "profiler/support/stable_hash.h"

namespace assay {

/// The hash of a block: of its bytes and its own state, or of its bytes alone if it has none. It
/// decides which shard the block is in, and whether it is rechecked.
std::uint64_t stable_hash(const BlockSpec& block);

/// A digest of a whole corpus: equal for the same blocks with the same states of their own and the
/// same frequencies on the same lines.
class BlocksDigest {
 public:
  void add(const BlockSpec& block, std::int64_t line, std::optional<double> frequency);
  /// The digest of everything added so far, as 16 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  StableHash hash_;
};

}  // namespace assay
