#include "harness/campaign/recheck.h"

#include <array>
#include <utility>

#include "suites/block_hash.h"

namespace assay {
namespace {

constexpr std::uint64_t kParts = 1'000'000;

/// Which of kParts a block is in. Its hash is hashed once more, because the hash itself decides its
/// shard.
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

void RecheckList::add(const BlockSpec& block, std::uint64_t hash) {
  if (static_cast<double>(part_of(hash)) < percent_ / 100 * kParts) kept_.push_back(block);
}

std::optional<BlockSpec> RecheckList::take() {
  if (kept_.empty()) return std::nullopt;
  BlockSpec block = std::move(kept_.front());
  kept_.pop_front();
  return block;
}

}  // namespace assay
