#include "suites/stable_hash.h"

#include <fmt/format.h>

#include <array>

namespace assay {
namespace {

constexpr std::uint64_t kFnvPrime = 1099511628211U;

/// MurmurHash3's fmix64.
std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdU;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53U;
  return value ^ value >> 33;
}

}  // namespace

void StableHash::add(std::span<const std::uint8_t> bytes) {
  for (const std::uint8_t byte : bytes) state_ = (state_ ^ byte) * kFnvPrime;
}

std::uint64_t StableHash::value() const { return mixed(state_); }

std::uint64_t stable_hash(const Bytes& bytes) {
  StableHash hash;
  hash.add(bytes);
  return hash.value();
}

void BlocksDigest::add(const Bytes& block) {
  // The length first: without it, blocks could be cut elsewhere and sum up to the same.
  std::array<std::uint8_t, 4> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length.at(i) = static_cast<std::uint8_t>(block.size() >> 8 * i);
  }
  hash_.add(length);
  hash_.add(block);
}

std::string BlocksDigest::hex() const { return fmt::format("{:016x}", hash_.value()); }

}  // namespace assay
