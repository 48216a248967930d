#include "suites/filter/census.h"

#include <gtest/gtest.h>

#include "tests/suites/filter/some_support.h"

namespace assay {
namespace {

void add(Census& census, const char* hex, std::optional<double> weight, bool is_new = true) {
  const Bytes bytes = bytes_from_hex(hex);
  census.add(facts_of(bytes, some_support(true)), bytes.size(), weight, is_new);
}

TEST(Census, CountsDistinctBlocksAndTheWeightsOfAllLines) {
  Census census;
  add(census, "4801d8", 2);
  add(census, "4801d8", 3, false);
  add(census, "488b03488901", std::nullopt);
  EXPECT_EQ(census.lines, 3);
  EXPECT_EQ(census.weighted, 2);
  EXPECT_EQ(census.all.blocks, 2);
  EXPECT_EQ(census.all.weight, 5);
  EXPECT_EQ(census.instructions.at(1).blocks, 1);
  EXPECT_EQ(census.instructions.at(1).weight, 5);
  EXPECT_EQ(census.instructions.at(2).blocks, 1);
  EXPECT_EQ(census.bytes.at(6).blocks, 1);
  EXPECT_EQ(census.extensions.at("base").blocks, 2);
  EXPECT_EQ(census.memory[static_cast<int>(MemoryUse::kBoth)].blocks, 1);
  EXPECT_EQ(census.traits[static_cast<int>(CodeTrait::kMayAlias)].blocks, 1);
}

TEST(Census, KnowsOfRefusedBlocksWhyAndHowLong) {
  Census census;
  add(census, "0f05", 1);
  EXPECT_EQ(census.refusals.at(Reason::kSystemCall).blocks, 1);
  EXPECT_EQ(census.traits[static_cast<int>(CodeTrait::kRefused)].weight, 1);
  EXPECT_EQ(census.bytes.at(2).blocks, 1);
  EXPECT_TRUE(census.instructions.empty());
  EXPECT_EQ(census.memory[static_cast<int>(MemoryUse::kNone)].blocks, 0);
}

}  // namespace
}  // namespace assay
