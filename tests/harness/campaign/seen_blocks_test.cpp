#include "harness/campaign/seen_blocks.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(SeenBlocks, KnowsEveryHashAgain) {
  SeenBlocks seen;
  constexpr std::uint64_t kMany = 100'000;
  // These hashes have equal low bits, and 0 is one of them: neither may confuse the hash table.
  const auto hash = [](std::uint64_t i) { return i << 12; };
  for (std::uint64_t i = 0; i < kMany; ++i) EXPECT_TRUE(seen.add(hash(i), 1).new_to_all);
  for (std::uint64_t i = 0; i < kMany; ++i) EXPECT_FALSE(seen.add(hash(i), 1).new_to_all);
  EXPECT_EQ(seen.size(), kMany);
}

TEST(SeenBlocks, TellsCorporaApart) {
  SeenBlocks seen;
  EXPECT_TRUE(seen.add(7, 1).new_to_corpus);
  EXPECT_FALSE(seen.add(7, 1).new_to_corpus);
  const auto in_second = seen.add(7, 2);
  EXPECT_FALSE(in_second.new_to_all);
  EXPECT_TRUE(in_second.new_to_corpus);
  EXPECT_FALSE(seen.add(7, 2).new_to_corpus);
  for (std::uint64_t i = 8; i < 20'000; ++i) seen.add(i, 2);
  EXPECT_FALSE(seen.add(7, 2).new_to_corpus) << "also when there are many";
}

}  // namespace
}  // namespace assay
