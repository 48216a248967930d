#include "profiler/support/stable_hash.h"

namespace assay {

void StableHash::add(std::span<const std::uint8_t> bytes) {
  constexpr std::uint64_t kFnvPrime = 1099511628211U;
  for (const std::uint8_t byte : bytes) state_ = (state_ ^ byte) * kFnvPrime;
}

std::uint64_t StableHash::value() const {
  std::uint64_t value = state_;
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33;
}

}  // namespace assay
