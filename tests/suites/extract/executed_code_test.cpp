#include "suites/extract/dynamic/executed_code.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace assay {
namespace {

TEST(AddressCounts, AreSummedByAddressHoweverManyAreAdded) {
  AddressCounts counts;
  constexpr std::uint64_t kAddresses = 1000;
  for (std::uint64_t round = 1; round <= 30; ++round) {
    for (std::uint64_t i = 0; i < kAddresses; ++i) counts.add((i * 7919) % kAddresses, round);
  }
  const auto sorted = counts.sorted();
  ASSERT_EQ(sorted.size(), kAddresses);
  for (std::uint64_t i = 0; i < kAddresses; ++i) {
    EXPECT_EQ(sorted[i].address, i);
    EXPECT_EQ(sorted[i].count, 30 * 31 / 2);
  }
}

TEST(AddressCounts, StayAtTheLargestNumber) {
  AddressCounts counts;
  counts.add(1, std::numeric_limits<std::uint64_t>::max() - 1);
  counts.add(1, 2);
  ASSERT_EQ(counts.sorted().size(), 1);
  EXPECT_EQ(counts.sorted()[0].count, std::numeric_limits<std::uint64_t>::max());
}

TEST(AddressCounts, MayBeNone) {
  AddressCounts counts;
  EXPECT_TRUE(counts.sorted().empty());
}

TEST(ExecutedCode, OfSeveralProcessesIsAdded) {
  ExecutedCode sum;
  for (int process = 0; process < 2; ++process) {
    ExecutedCode one;
    one["program"].instructions.add(16, 3);
    one["program"].targets.add(32, 1);
    one["program"].repeats.add(48, 5);
    one[process == 0 ? "a" : "b"].instructions.add(1, 1);
    add_executed(sum, one);
  }
  EXPECT_EQ(sum.size(), 3);
  ExecutedObject& program = sum["program"];
  for (auto [counts, expected] :
       {std::pair(&program.instructions, 6), std::pair(&program.targets, 2),
        std::pair(&program.repeats, 10)}) {
    ASSERT_EQ(counts->sorted().size(), 1);
    EXPECT_EQ(counts->sorted()[0].count, expected);
  }
}

}  // namespace
}  // namespace assay
