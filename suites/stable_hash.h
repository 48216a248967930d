#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "profiler/block/block_spec.h"

namespace assay {

/// A 64-bit hash that is the same on every machine and in every version of assay: shards and the
/// blocks that are measured twice are chosen by it. FNV-1a (Fowler, Noll and Vo,
/// http://www.isthe.com/chongo/tech/comp/fnv/) with the finaliser of MurmurHash3
/// (Austin Appleby, fmix64), since the low bits of FNV alone are poor. Not for adversaries.
class StableHash {
 public:
  void add(std::span<const std::uint8_t> bytes);
  /// Of all that was added; more may be.
  std::uint64_t value() const;

 private:
  std::uint64_t state_ = 14695981039346656037U;  // FNV's offset basis for 64 bits
};

/// The hash of a block: of its bytes alone if it has no state of its own.
std::uint64_t stable_hash(const BlockSpec& block);

/// Sums up a corpus: equal for the same blocks with the same states of their own and the same
/// frequencies on the same lines.
class BlocksDigest {
 public:
  void add(const BlockSpec& block, std::int64_t line, std::optional<double> frequency);
  /// 16 lower-case hexadecimal digits.
  std::string hex() const;

 private:
  StableHash hash_;
};

}  // namespace assay
