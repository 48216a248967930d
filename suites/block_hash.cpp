#include "suites/block_hash.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <string_view>

namespace assay {
namespace {

/// The bytes of a number, the lowest first on every machine.
std::array<std::uint8_t, 8> bytes_of(std::uint64_t number) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<std::uint8_t>(number >> 8 * i);
  }
  return bytes;
}

/// Adds a state behind its length with the top bit set. No block has such a size, so that a state
/// cannot be taken for the size of the block that follows it.
void add_state(StableHash& hash, std::string_view state) {
  constexpr std::uint64_t kMark = std::uint64_t{1} << 63;
  hash.add(bytes_of(kMark | state.size()));
  hash.add({reinterpret_cast<const std::uint8_t*>(state.data()), state.size()});
}

}  // namespace

std::uint64_t stable_hash(const BlockSpec& block) {
  StableHash hash;
  hash.add(block.bytes);
  if (!block.state.empty()) add_state(hash, block.state);
  return hash.value();
}

void BlocksDigest::add(const BlockSpec& block, std::int64_t line, std::optional<double> frequency) {
  constexpr double kNoFrequency = -1;
  // The length is hashed too: without it, the same bytes cut into other blocks could give the same
  // digest.
  hash_.add(bytes_of(block.bytes.size()));
  hash_.add(block.bytes);
  hash_.add(bytes_of(static_cast<std::uint64_t>(line)));
  hash_.add(bytes_of(std::bit_cast<std::uint64_t>(frequency.value_or(kNoFrequency))));
  if (!block.state.empty()) add_state(hash_, block.state);
}

std::string BlocksDigest::hex() const { return fmt::format("{:016x}", hash_.value()); }

}  // namespace assay
