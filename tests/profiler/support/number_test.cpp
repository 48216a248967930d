#include "profiler/support/number.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Number, IsDecimalOrHexadecimalWithAPrefix) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("010"), 10U);
  EXPECT_EQ(parse_number("0x1F"), 31U);
  EXPECT_EQ(parse_number("18446744073709551615"), ~std::uint64_t{0});
  for (const char* text : {"", "0x", "x1", "-1", "+1", " 1", "1 ", "1f", "0x1g", "0x0x1",
                           "18446744073709551616", "0x10000000000000000"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  }
}

TEST(Number, HexadecimalDigitsWithoutAPrefix) {
  EXPECT_EQ(parse_hexadecimal("1C0"), 0x1c0U);
  EXPECT_EQ(parse_hexadecimal("ffffffffffffffff"), ~std::uint64_t{0});
  EXPECT_EQ(parse_hexadecimal("10000000000000000"), std::nullopt);
  EXPECT_EQ(parse_hexadecimal(""), std::nullopt);
  EXPECT_EQ(parse_hexadecimal("0x1"), std::nullopt);
}

}  // namespace
}  // namespace assay
