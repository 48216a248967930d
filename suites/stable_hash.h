#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiler/block/block_spec.h"

namespace assay {

/// A 64-bit hash that is the same on every machine and in every version of assay: it decides which
/// shard a block is in, and which blocks are rechecked. FNV-1a (Fowler, Noll and Vo,
/// http://www.isthe.com/chongo/tech/comp/fnv/) with the finaliser of MurmurHash3
/// (Austin Appleby, fmix64), since the low bits of FNV alone are poor. It does not withstand
/// deliberate collisions.
class StableHash {
 public:
  void add(std::span<const std::uint8_t> bytes);
  /// The hash of everything added so far; more may be added afterwards.
  std::uint64_t value() const;

 private:
  std::uint64_t state_ = 14695981039346656037U;  // FNV's offset basis for 64 bits
};

/// The hash of a block: of its bytes and its own state, or of its bytes alone if it has none.
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
