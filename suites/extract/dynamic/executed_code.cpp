#include "suites/extract/dynamic/executed_code.h"

#include <algorithm>
#include <limits>

namespace assay {
namespace {

/// How many additions there are at least between two merges.
constexpr std::size_t kAtLeast = 4096;

std::uint64_t saturating_sum(std::uint64_t a, std::uint64_t b) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

void add_counts(AddressCounts& to, AddressCounts& from) {
  for (const AddressCount& item : from.sorted()) to.add(item.address, item.count);
}

}  // namespace

void AddressCounts::add(std::uint64_t address, std::uint64_t count) {
  items_.push_back({address, count});
  if (items_.size() >= 2 * merged_ + kAtLeast) merge();
}

std::span<const AddressCount> AddressCounts::sorted() {
  if (merged_ < items_.size()) merge();
  return items_;
}

void AddressCounts::merge() {
  std::ranges::sort(items_, {}, &AddressCount::address);
  std::size_t last = 0;
  for (std::size_t i = 1; i < items_.size(); ++i) {
    if (items_[i].address == items_[last].address) {
      items_[last].count = saturating_sum(items_[last].count, items_[i].count);
    } else {
      items_[++last] = items_[i];
    }
  }
  items_.resize(last + 1);
  merged_ = items_.size();
}

void add_executed(ExecutedCode& to, ExecutedCode& from) {
  for (auto& [name, object] : from) {
    ExecutedObject& sum = to[name];
    add_counts(sum.instructions, object.instructions);
    add_counts(sum.targets, object.targets);
    add_counts(sum.repeats, object.repeats);
  }
}

}  // namespace assay
