#include "suites/extract/walk/block_set.h"

#include <gmock/gmock.h>

#include <limits>

#include "profiler/block/bytes.h"

namespace assay {
namespace {

Bytes numbered(std::uint32_t number) {
  return {0xb8, static_cast<std::uint8_t>(number), static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number >> 16), 0};
}

TEST(BlockSet, CountsEachBlockOnceAndKeepsItsFirstOrigin) {
  BlockSet set;
  set.add(bytes_from_hex("4801d8"), 1, "a:f");
  set.add(bytes_from_hex("01d8"), 5, "a:g");
  set.add(bytes_from_hex("4801d8"), 2, "b");
  const auto entries = set.entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(set.size(), 2U);
  EXPECT_EQ(set.total(), 8U);
  EXPECT_EQ(hex_from_bytes(entries[0].bytes), "4801d8");
  EXPECT_EQ(entries[0].frequency, 3.0);
  EXPECT_EQ(entries[0].origin, "a:f");
  EXPECT_EQ(hex_from_bytes(entries[1].bytes), "01d8");
  EXPECT_EQ(entries[1].frequency, 5.0);
  EXPECT_EQ(entries[1].origin, "a:g");
}

TEST(BlockSet, KeepsTheFirstNameOfABlockThatHasOne) {
  BlockSet set;
  set.add(numbered(1), 1, "a");
  set.add(numbered(2), 1, "a", "first");
  set.add(numbered(2), 1, "b", "second");
  BlockSet joined;
  joined.add(numbered(3), 1, "c");
  joined.add(set);
  const auto entries = joined.entries();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[1].name, "");
  EXPECT_EQ(entries[2].name, "first");
}

TEST(BlockSet, KeepsTheOrderOfManyBlocks) {
  BlockSet set;
  constexpr std::uint32_t kBlocks = 20'000;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < kBlocks; ++i) set.add(numbered(i), 1, "here");
  }
  const auto entries = set.entries();
  ASSERT_EQ(entries.size(), kBlocks);
  for (std::uint32_t i = 0; i < kBlocks; ++i) {
    ASSERT_EQ(entries[i].bytes, numbered(i));
    ASSERT_EQ(entries[i].frequency, 2.0);
  }
}

TEST(BlockSet, JoinsAnother) {
  BlockSet set;
  set.add(numbered(1), 1, "a");
  BlockSet other;
  other.add(numbered(2), 3, "b");
  other.add(numbered(1), 4, "b");
  set.add(other);
  const auto entries = set.entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].frequency, 5.0);
  EXPECT_EQ(entries[0].origin, "a");
  EXPECT_EQ(entries[1].origin, "b");
  EXPECT_EQ(set.total(), 8U);
}

TEST(BlockSet, StopsAtTheLargestCount) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  BlockSet set;
  set.add(numbered(1), kMost, "a");
  set.add(numbered(1), 1, "a");
  EXPECT_EQ(set.total(), kMost);
  EXPECT_EQ(set.entries()[0].frequency, static_cast<double>(kMost));
}

TEST(BlockSet, GivesNoMoreOnceToldNotTo) {
  BlockSet set;
  for (std::uint32_t i = 0; i < 3; ++i) set.add(numbered(i), 1, "a");
  int given = 0;
  EXPECT_FALSE(set.for_each([&](const CorpusEntry&) { return ++given < 2; }));
  EXPECT_EQ(given, 2);
}

}  // namespace
}  // namespace assay
