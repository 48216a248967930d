#include "profiler/counters/pmu_field.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(PmuField, OneRange) {
  const auto field = parse_pmu_field("umask", "config:8-15");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->name, "umask");
  EXPECT_EQ(field->word, 0);
  EXPECT_EQ(field->width(), 8);
  EXPECT_EQ(field->mask(), 0xff00U);
  EXPECT_EQ(field->placed(0x41), 0x4100U);
}

TEST(PmuField, AmdsEventGoesToTwoPlaces) {
  const auto field = parse_pmu_field("event", "config:0-7,32-35");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->width(), 12);
  EXPECT_EQ(field->mask(), 0xf000000ffU);
  EXPECT_EQ(field->placed(0x28f), 0x20000008fU);
  EXPECT_EQ(field->layout(), "config:0-7,32-35");
}

TEST(PmuField, TheLowestBitsOfAValueGoToTheFirstRange) {
  const auto field = parse_pmu_field("odd", "config2:60-63,0,4-5");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->word, 2);
  EXPECT_EQ(field->placed(0b10'1'0011), 0x3000'0000'0000'0021U);
  EXPECT_EQ(field->layout(), "config2:60-63,0,4-5");
}

TEST(PmuField, AWholeWord) {
  const auto field = parse_pmu_field("offcore_rsp", "config1:0-63");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->word, 1);
  EXPECT_EQ(field->width(), 64);
  EXPECT_EQ(field->mask(), ~std::uint64_t{0});
  EXPECT_EQ(field->placed(0x8000'0000'0000'0001U), 0x8000'0000'0000'0001U);
}

TEST(PmuField, OneBit) {
  const auto field = parse_pmu_field("inv", "config:23");
  ASSERT_TRUE(field.has_value());
  EXPECT_EQ(field->width(), 1);
  EXPECT_EQ(field->placed(1), 0x800000U);
  EXPECT_EQ(field->layout(), "config:23");
}

TEST(PmuField, AnythingElseIsNone) {
  for (const char* text : {"",
                           "config",
                           "config:",
                           "config:8-",
                           "config:-8",
                           "config:15-8",
                           "config:64",
                           "config:0-64",
                           "config:0-7,",
                           "config:0-7,,9",
                           "config:0-7,7-9",
                           "config:0x1",
                           "config: 1",
                           "config12:0",
                           "configx:0",
                           "umask:0-7",
                           ":0-7",
                           "config:0-7 ",
                           "config:1-2-3",
                           "config:0-18446744073709551616"}) {
    EXPECT_FALSE(parse_pmu_field("field", text).has_value()) << text;
  }
}

}  // namespace
}  // namespace assay
