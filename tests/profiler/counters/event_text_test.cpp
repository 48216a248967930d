#include "profiler/counters/event_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(EventText, SplitKeepsEmptyParts) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(EventText, NumbersAreDecimalOrHexadecimalWithAPrefix) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("010"), 10U);
  EXPECT_EQ(parse_number("0x1F"), 31U);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "0x", "x1", "-1", "+1", " 1", "1 ", "1f", "0x1g", "0x0x1",
                           "18446744073709551616", "0x10000000000000000"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(EventText, HexadecimalDigitsWithoutAPrefix) {
  EXPECT_EQ(parse_hexadecimal("1C0"), 0x1c0U);
  EXPECT_EQ(parse_hexadecimal("ffffffffffffffff"), ~std::uint64_t{0});
  EXPECT_EQ(parse_hexadecimal("10000000000000000"), std::nullopt);
  EXPECT_EQ(parse_hexadecimal(""), std::nullopt);
  EXPECT_EQ(parse_hexadecimal("0x1"), std::nullopt);
}

TEST(EventText, ListsSayHowManyMoreThereAre) {
  EXPECT_EQ(listed({"a", "b", "c"}, 3), "a, b, c");
  EXPECT_EQ(listed({"a", "b", "c"}, 2), "a, b and 1 more");
  EXPECT_EQ(listed({}, 2), "");
}

}  // namespace
}  // namespace assay
