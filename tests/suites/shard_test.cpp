#include "suites/shard.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>
#include <string>

namespace assay {
namespace {

TEST(StableHash, IsTheSameForever) {
  // FNV-1a's published values for "" and "foobar", passed through fmix64, which was computed
  // independently of this code.
  EXPECT_EQ(stable_hash({}), 0xefd01f60ba992926U);
  EXPECT_EQ(stable_hash({{'f', 'o', 'o', 'b', 'a', 'r'}}), 0x2c22194922d1672bU);
  EXPECT_EQ(stable_hash({{'f', 'o', 'o', 'b', 'a', 'r'}, "mem=0x40"}), 0x458d23b8016c0f1fU);
}

TEST(StableHash, InPartsIsTheSame) {
  StableHash hash;
  const std::array<std::uint8_t, 2> first = {0x48, 0x01};
  const std::array<std::uint8_t, 1> rest = {0xd8};
  hash.add(first);
  hash.add(rest);
  EXPECT_EQ(hash.value(), stable_hash({{0x48, 0x01, 0xd8}}));
}

TEST(BlocksDigest, KnowsOrderBoundsLinesAndFrequencies) {
  const auto digest = [](std::initializer_list<Bytes> blocks) {
    BlocksDigest sum;
    std::int64_t line = 0;
    for (const Bytes& block : blocks) sum.add({block}, ++line, 0.5);
    return sum.hex();
  };
  const std::string one = digest({{0x90}, {0x48, 0x01, 0xd8}});
  EXPECT_EQ(one.size(), 16U);
  EXPECT_EQ(one, digest({{0x90}, {0x48, 0x01, 0xd8}}));
  EXPECT_NE(one, digest({{0x48, 0x01, 0xd8}, {0x90}}));
  EXPECT_NE(one, digest({{0x90, 0x48}, {0x01, 0xd8}}));
  std::set<std::string> digests;
  for (const std::int64_t line : {1, 2}) {
    for (const std::optional<double> frequency : {std::optional<double>(), {0.0}, {0.5}}) {
      BlocksDigest sum;
      sum.add({{0x90}}, line, frequency);
      digests.insert(sum.hex());
    }
  }
  EXPECT_EQ(digests.size(), 6U);
}

TEST(BlocksDigest, OfBlocksWithoutStatesIsTheSameForever) {
  BlocksDigest sum;
  sum.add({{0x90}}, 1, 0.5);
  sum.add({{0x48, 0x01, 0xd8}}, 2, std::nullopt);
  EXPECT_EQ(sum.hex(), "ea86ac0f5067c33b");  // computed independently of this code
}

TEST(BlocksDigest, KnowsWhichBlockHasWhichState) {
  std::set<std::string> digests;
  for (const char* const first : {"", "zero", "mem=0x1"}) {
    for (const char* const second : {"", "zero", "mem=0x1"}) {
      BlocksDigest sum;
      sum.add({{0x90}, first}, 1, 0.5);
      sum.add({{0x90}, second}, 2, 0.5);
      digests.insert(sum.hex());
    }
  }
  EXPECT_EQ(digests.size(), 9U);
}

TEST(Shard, EveryBlockIsInExactlyOne) {
  constexpr int kShards = 3, kBlocks = 3000;
  std::array<int, kShards> sizes{};
  for (int block = 0; block < kBlocks; ++block) {
    const Bytes bytes = {0xB8, static_cast<std::uint8_t>(block),
                         static_cast<std::uint8_t>(block >> 8), 0, 0};
    int in = 0;
    for (int index = 1; index <= kShards; ++index) {
      if (!contains({index, kShards}, bytes)) continue;
      ++in;
      ++sizes.at(static_cast<std::size_t>(index - 1));
    }
    EXPECT_EQ(in, 1);
  }
  for (const int size : sizes) EXPECT_NEAR(size, kBlocks / kShards, kBlocks / kShards / 5);
}

TEST(Shard, IsWrittenAsIndexAndCount) {
  EXPECT_EQ(shard_from("2/8"), (Shard{2, 8}));
  EXPECT_EQ(shard_from("1/1"), Shard{});
  for (const char* const wrong : {"", "2", "/", "0/8", "9/8", "-1/8", "2/8 ", "2/", "/8", "a/8",
                                  "2/0", "2/99999999999999999999"}) {
    EXPECT_EQ(shard_from(wrong), std::nullopt) << wrong;
  }
}

}  // namespace
}  // namespace assay
