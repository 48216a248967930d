#include "harness/campaign/recheck.h"

#include <array>

#include "profiler/block/block.h"
#include "suites/stable_hash.h"

namespace assay {
namespace {

constexpr std::size_t kLongestState = (1 << 16) - 1;
static_assert(kLargestBlock < 1 << 16);

constexpr std::uint64_t kParts = 1'000'000;

/// Hashed once more: shards are cut by the hash itself.
std::uint64_t part_of(std::uint64_t hash) {
  std::array<std::uint8_t, sizeof hash> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<std::uint8_t>(hash >> 8 * i);
  }
  StableHash again;
  again.add(bytes);
  return again.value() % kParts;
}

}  // namespace

void RecheckList::add(const Bytes& block, std::string_view state, std::uint64_t hash) {
  if (static_cast<double>(part_of(hash)) >= percent_ / 100 * kParts) return;
  // Longer ones are refused, and never measured; no canonical state is so long.
  if (block.size() > kLargestBlock || state.size() > kLongestState) return;
  keep(block);
  keep({reinterpret_cast<const std::uint8_t*>(state.data()), state.size()});
}

void RecheckList::keep(std::span<const std::uint8_t> bytes) {
  kept_.push_back(static_cast<std::uint8_t>(bytes.size()));
  kept_.push_back(static_cast<std::uint8_t>(bytes.size() >> 8));
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

std::optional<BlockRecord> RecheckList::take() {
  if (next_ == kept_.size()) return std::nullopt;
  BlockRecord block;
  const auto bytes = next();
  block.bytes.assign(bytes.begin(), bytes.end());
  const auto state = next();
  block.state.assign(state.begin(), state.end());
  return block;
}

std::span<const std::uint8_t> RecheckList::next() {
  const std::size_t size = kept_[next_] | kept_[next_ + 1] << 8;
  const auto bytes = std::span(kept_).subspan(next_ + 2, size);
  next_ += 2 + size;
  return bytes;
}

}  // namespace assay
