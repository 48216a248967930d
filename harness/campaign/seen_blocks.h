#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>

namespace assay {

/// Which blocks have come, by their hashes alone, which take some 20 to 40 bytes for each block.
/// Two blocks with the same hash would be taken for one; among a million blocks the chance of that
/// is one in 37 million.
class SeenBlocks {
 public:
  struct Found {
    bool new_to_all = false;     ///< the block has not come before
    bool new_to_corpus = false;  ///< the block has not come before in this corpus
  };
  /// Notes a block. `corpus` is the number of its corpus, which must not be below the latest one.
  Found add(std::uint64_t hash, std::uint16_t corpus);

  std::size_t size() const { return latest_corpora_.size(); }

 private:
  boost::unordered_flat_map<std::uint64_t, std::uint16_t> latest_corpora_;  ///< by hash
};

}  // namespace assay
