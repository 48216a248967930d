#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "suites/readers/corpus_entry.h"

namespace assay {

/// N distinct blocks drawn from a stream without replacement, each in proportion to its weight. The
/// same blocks with the same weights give the same sample for one seed, on every machine. A
/// block is given back with the sum of its weights. Memory grows with the sample; where weights
/// decide, also by a number for each distinct block, since any of them may still be drawn.
///
/// Method: Efraimidis and Spirakis, "Weighted random sampling with a reservoir", Information
/// Processing Letters 97 (2006): the N blocks with the largest u^(1/weight), u uniform in (0, 1);
/// here the smallest -log(u)/weight, which orders them alike.
class BlockSample {
 public:
  /// `size`: at least 1.
  BlockSample(std::size_t size, std::uint64_t seed) : size_(size), seed_(seed) {}

  /// Offers a block to the sample. `weight`: finite, not negative; a block of weight 0 is never
  /// drawn. A block that comes again is drawn with the sum of its weights; all else of its entry
  /// stays as it was when the block was drawn first.
  void add(CorpusEntry entry, double weight);
  /// Offers a block that is as likely to be drawn as any other, however often it comes. The weights
  /// that its entries have, if any, are summed up all the same.
  void add_unweighted(CorpusEntry entry);

  /// Hands out the blocks that were drawn, in the order in which they came.
  std::vector<CorpusEntry> take();

 private:
  struct Drawn {
    std::uint64_t ordinal = 0;
    CorpusEntry entry;
  };
  /// What blocks are drawn by: the sample is the blocks with the smallest keys. The first part is
  /// random, the second is the hash of the block, which makes the key unique.
  using Key = std::pair<double, std::uint64_t>;

  void offer(CorpusEntry entry, Key key);

  std::size_t size_;
  std::uint64_t seed_;
  std::uint64_t added_ = 0;
  std::map<Key, Drawn> drawn_;
  std::unordered_map<std::uint64_t, double> keys_;  ///< first part of drawn blocks' keys, by hash
  std::unordered_map<std::uint64_t, double> weights_;  ///< sum of a block's weights, by its hash
};

/// The natural logarithm of a number in (0, 1], by basic arithmetic alone, so that every x86-64
/// computes the same bits; its relative error is below 1e-15.
double portable_log(double value);

}  // namespace assay
