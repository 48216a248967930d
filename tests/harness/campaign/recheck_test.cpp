#include "harness/campaign/recheck.h"

#include <gtest/gtest.h>

#include "suites/shard.h"

namespace assay {
namespace {

constexpr int kBlocks = 10'000;

Bytes block(int number) {
  return {0xB8, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8), 0, 0};
}

std::vector<Bytes> chosen(double percent, const Shard& shard = {}) {
  RecheckList list(percent);
  for (int i = 0; i < kBlocks; ++i) {
    const std::uint64_t hash = stable_hash(block(i));
    if (contains(shard, hash)) list.add(block(i), "", hash);
  }
  std::vector<Bytes> blocks;
  while (auto next = list.take()) blocks.push_back(next->bytes);
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

TEST(RecheckList, TakesLongBlocksAndStatesToo) {
  RecheckList list(100);
  const Bytes longer(1000, 0x90);
  const std::string state(1000, 'x');
  list.add(longer, "", 1);
  list.add({}, "bhive mem=0x40", 2);
  list.add(longer, state, 3);
  const auto expect_next = [&list](const Bytes& bytes, const std::string& own_state) {
    const auto block = list.take();
    ASSERT_TRUE(block);
    EXPECT_EQ(block->bytes, bytes);
    EXPECT_EQ(block->state, own_state);
  };
  expect_next(longer, "");
  expect_next({}, "bhive mem=0x40");
  expect_next(longer, state);
  EXPECT_FALSE(list.take());
}

TEST(RecheckList, PassesOverWhatItCannotKeep) {
  RecheckList list(100);
  list.add(Bytes(1 << 16, 0x90), "", 1);
  list.add({0x90}, std::string(1 << 16, 'x'), 2);
  EXPECT_FALSE(list.take());
}

}  // namespace
}  // namespace assay
