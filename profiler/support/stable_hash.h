#pragma once

#include <cstdint>
#include <span>

namespace assay {

/// A 64-bit hash that is the same on every machine and in every version of assay. FNV-1a (Fowler,
/// Noll and Vo, http://www.isthe.com/chongo/tech/comp/fnv/) with the finaliser of MurmurHash3
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

}  // namespace assay
