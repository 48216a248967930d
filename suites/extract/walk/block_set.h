#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "suites/readers/corpus_entry.h"

namespace assay {

/// Distinct blocks, each with how often it occurs and where it was found first, in flat arrays:
/// some 40 bytes a block beside its own bytes. Blocks keep the order in which each came first.
class BlockSet {
 public:
  /// Adds a block of 1 to kLargestBlock bytes, found `count` times at `origin` (UTF-8), and with a
  /// name unless that is empty. Of a block only the origin and name that it came with first are
  /// kept. A name takes 100 bytes and more: they are for small sets.
  void add(std::span<const std::uint8_t> bytes, std::uint64_t count, std::string_view origin,
           std::string_view name = {});
  /// Adds all blocks of another set, in its order.
  void add(const BlockSet& other);

  std::size_t size() const { return blocks_.size(); }  ///< distinct blocks
  std::uint64_t total() const { return total_; }       ///< sum of the counts, at most 2^64 - 1

  /// Calls `use` with each block, in order, as an entry whose frequency is the block's count, until
  /// it returns false. Returns whether it never did.
  bool for_each(const std::function<bool(const CorpusEntry&)>& use) const;
  /// All blocks as entries, for small sets.
  std::vector<CorpusEntry> entries() const;

 private:
  struct Record {
    std::uint64_t offset = 0;  ///< where its bytes begin in bytes_
    std::uint64_t count = 0;
    std::uint32_t size = 0;
    std::uint32_t origin = 0;  ///< index into origins_
  };

  std::span<const std::uint8_t> bytes_of(const Record& record) const;
  std::string name_of(std::size_t block) const;
  /// The index of the slot where the block is, or would be added.
  std::size_t slot_of(std::span<const std::uint8_t> bytes) const;
  void grow();
  std::uint32_t origin_number(std::string_view origin);

  std::vector<std::uint8_t> bytes_;
  std::vector<Record> blocks_;
  std::vector<std::uint32_t> slots_;  ///< open hash table: index into blocks_ plus 1; 0: free
  std::vector<std::string> origins_;
  std::unordered_map<std::uint32_t, std::string> names_;  ///< by index into blocks_
  std::uint64_t total_ = 0;
};

}  // namespace assay
