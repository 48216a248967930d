#include "harness/recheck.h"

#include <array>

#include "profiler/block/block.h"
#include "suites/stable_hash.h"

namespace assay {
namespace {

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

void RecheckList::add(const Bytes& block, std::uint64_t hash) {
  if (static_cast<double>(part_of(hash)) >= percent_ / 100 * kParts) return;
  // Longer ones are refused, and never measured.
  if (block.size() > kLargestBlock) return;
  blocks_.push_back(static_cast<std::uint8_t>(block.size()));
  blocks_.push_back(static_cast<std::uint8_t>(block.size() >> 8));
  blocks_.insert(blocks_.end(), block.begin(), block.end());
}

std::optional<Bytes> RecheckList::take() {
  if (next_ == blocks_.size()) return std::nullopt;
  const std::size_t size = blocks_[next_] | blocks_[next_ + 1] << 8;
  const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(next_ + 2);
  next_ += 2 + size;
  return Bytes(first, first + static_cast<std::ptrdiff_t>(size));
}

}  // namespace assay
