#include "harness/campaign/recheck.h"

#include <gtest/gtest.h>

#include "suites/shard.h"

namespace assay {
namespace {

constexpr int kBlocks = 10'000;

BlockSpec block(int number) {
  return {{0xB8, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8), 0, 0}};
}

std::vector<BlockSpec> chosen(double percent, const Shard& shard = {}) {
  RecheckList list(percent);
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t hash = stable_hash(block(i));
    if (contains(shard, hash)) list.add(block(i), hash);
  }
  std::vector<BlockSpec> blocks;
  while (auto next = list.take()) blocks.push_back(*next);
  return blocks;
}

TEST(RecheckList, IsAShareOfAllBlocks) {
  EXPECT_EQ(chosen(0).size(), 0U);
  EXPECT_NEAR(static_cast<double>(chosen(10).size()), kBlocks / 10, kBlocks / 50);
  const auto all = chosen(100);
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kBlocks));
  EXPECT_EQ(all[300], block(300));
}

TEST(RecheckList, IsAsLargeAShareOfAnyShard) {
  EXPECT_NEAR(static_cast<double>(chosen(10, {3, 5}).size()), kBlocks / 50, kBlocks / 200);
}

TEST(RecheckList, KeepsStatesToo) {
  RecheckList list(100);
  const BlockSpec plain{{0x90}}, own{{0x90}, "bhive mem=0x40"};
  list.add(plain, 1);
  list.add(own, 2);
  EXPECT_EQ(list.take(), plain);
  EXPECT_EQ(list.take(), own);
  EXPECT_EQ(list.take(), std::nullopt);
}

}  // namespace
}  // namespace assay
