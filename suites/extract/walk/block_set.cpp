#include "suites/extract/walk/block_set.h"

#include <algorithm>
#include <limits>

#include "suites/block_hash.h"

namespace assay {
namespace {

constexpr std::size_t kFirstSlots = 1024;

std::uint64_t hash_of(std::span<const std::uint8_t> bytes) {
  StableHash hash;
  hash.add(bytes);
  return hash.value();
}

/// The sum, or the largest number if the sum does not fit into 64 bits.
std::uint64_t saturated(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

}  // namespace

void BlockSet::add(std::span<const std::uint8_t> bytes, std::uint64_t count,
                   std::string_view origin, std::string_view name) {
  // At most two in three slots may be taken, since searches in a fuller table grow long.
  if ((blocks_.size() + 1) * 3 > slots_.size() * 2) grow();
  total_ = saturated(total_, count);
  std::uint32_t& slot = slots_[slot_of(bytes)];
  if (slot != 0) {
    Record& known = blocks_[slot - 1];
    known.count = saturated(known.count, count);
    return;
  }
  blocks_.push_back(
      {bytes_.size(), count, static_cast<std::uint32_t>(bytes.size()), origin_number(origin)});
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (!name.empty()) names_.emplace(static_cast<std::uint32_t>(blocks_.size() - 1), name);
  slot = static_cast<std::uint32_t>(blocks_.size());
}

void BlockSet::add(const BlockSet& other) {
  for (std::size_t i = 0; i < other.blocks_.size(); ++i) {
    const Record& record = other.blocks_[i];
    add(other.bytes_of(record), record.count, other.origins_[record.origin], other.name_of(i));
  }
}

bool BlockSet::for_each(const std::function<bool(const CorpusEntry&)>& use) const {
  CorpusEntry entry;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Record& record = blocks_[i];
    const auto bytes = bytes_of(record);
    entry.bytes.assign(bytes.begin(), bytes.end());
    entry.frequency = static_cast<double>(record.count);
    entry.origin = origins_[record.origin];
    entry.name = name_of(i);
    if (!use(entry)) return false;
  }
  return true;
}

std::vector<CorpusEntry> BlockSet::entries() const {
  std::vector<CorpusEntry> entries;
  entries.reserve(blocks_.size());
  for_each([&](const CorpusEntry& entry) {
    entries.push_back(entry);
    return true;
  });
  return entries;
}

std::span<const std::uint8_t> BlockSet::bytes_of(const Record& record) const {
  return std::span(bytes_).subspan(record.offset, record.size);
}

std::string BlockSet::name_of(std::size_t block) const {
  const auto found = names_.find(static_cast<std::uint32_t>(block));
  return found == names_.end() ? "" : found->second;
}

std::size_t BlockSet::slot_of(std::span<const std::uint8_t> bytes) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(bytes) & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0 || std::ranges::equal(bytes_of(blocks_[slots_[at] - 1]), bytes)) return at;
  }
}

void BlockSet::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    slots_[slot_of(bytes_of(blocks_[i]))] = static_cast<std::uint32_t>(i + 1);
  }
}

std::uint32_t BlockSet::origin_number(std::string_view origin) {
  // Blocks come function by function, so that a known origin is nearly always the last one: a table
  // of all origins would take more memory than it saves.
  if (origins_.empty() || origins_.back() != origin) origins_.emplace_back(origin);
  return static_cast<std::uint32_t>(origins_.size() - 1);
}

}  // namespace assay
