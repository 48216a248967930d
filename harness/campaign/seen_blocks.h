#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

/// Which blocks have come, by their hashes alone: 10 bytes a block, and between 13 and 27 with the
/// room that a hash table needs. Two blocks of one hash would be taken for one: of a million
/// blocks, with a chance of one in 37 million.
class SeenBlocks {
 public:
  struct Found {
    bool new_to_all = false;     ///< it has not come before
    bool new_to_corpus = false;  ///< nor in this corpus
  };
  /// `corpus`: by number; never one before the latest.
  Found add(std::uint64_t hash, std::uint16_t corpus);

  std::size_t size() const { return size_; }

 private:
  std::size_t slot_of(std::uint64_t hash) const;
  void grow();

  // Open addressing; a hash of 0 marks an empty slot.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint16_t> latest_corpora_;
  std::size_t size_ = 0;
};

}  // namespace assay
