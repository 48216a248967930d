#include "harness/campaign/seen_blocks.h"

#include <utility>

namespace assay {
namespace {

constexpr std::size_t kFirstSlots = 4096;  // a power of two, as all later numbers of slots
constexpr std::uint64_t kEmpty = 0;
constexpr std::uint64_t kInPlaceOfEmpty = 1;

}  // namespace

SeenBlocks::Found SeenBlocks::add(std::uint64_t hash, std::uint16_t corpus) {
  if (hash == kEmpty) hash = kInPlaceOfEmpty;
  if (4 * (size_ + 1) > 3 * hashes_.size()) grow();
  const std::size_t slot = slot_of(hash);
  const bool is_new = hashes_[slot] == kEmpty;
  const Found found{is_new, is_new || latest_corpora_[slot] != corpus};
  hashes_[slot] = hash;
  latest_corpora_[slot] = corpus;
  if (is_new) ++size_;
  return found;
}

std::size_t SeenBlocks::slot_of(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t slot = hash & mask;
  while (hashes_[slot] != kEmpty && hashes_[slot] != hash) slot = (slot + 1) & mask;
  return slot;
}

void SeenBlocks::grow() {
  const std::size_t slots = hashes_.empty() ? kFirstSlots : 2 * hashes_.size();
  const auto hashes = std::exchange(hashes_, std::vector<std::uint64_t>(slots));
  const auto corpora = std::exchange(latest_corpora_, std::vector<std::uint16_t>(slots));
  for (std::size_t old = 0; old < hashes.size(); ++old) {
    if (hashes[old] == kEmpty) continue;
    const std::size_t slot = slot_of(hashes[old]);
    hashes_[slot] = hashes[old];
    latest_corpora_[slot] = corpora[old];
  }
}

}  // namespace assay
