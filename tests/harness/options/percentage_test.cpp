#include "harness/options/percentage.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

bool exceeded(std::string_view limit, std::int64_t part, std::int64_t whole) {
  return Percentage::from(limit).value().is_exceeded_by(part, whole);
}

TEST(Percentage, IsExceededOnlyByMore) {
  EXPECT_FALSE(exceeded("5", 5, 100));
  EXPECT_TRUE(exceeded("5", 6, 100));
  EXPECT_FALSE(exceeded("0", 0, 100));
  EXPECT_TRUE(exceeded("0", 1, 330'018));
  EXPECT_FALSE(exceeded("100", 100, 100));
}

TEST(Percentage, IsExactWhereADoubleIsNot) {
  for (const auto& [text, part] :
       {std::pair{"0.07", 7}, {"0.29", 29}, {"1.1", 110}, {"0.57", 57}}) {
    EXPECT_FALSE(exceeded(text, part, 10'000)) << text;
    EXPECT_TRUE(exceeded(text, part + 1, 10'000)) << text;
    EXPECT_TRUE(exceeded(text, part, 9'999)) << text;
  }
  EXPECT_FALSE(exceeded("0.000001", 1, 100'000'000));
  EXPECT_TRUE(exceeded("0.000001", 101, 10'000'000'000));
}

TEST(Percentage, TakesPlainDecimalsFromNothingToAll) {
  for (const char* text : {"0", "100", "100.000000", "005", "99.999999"}) {
    EXPECT_TRUE(Percentage::from(text)) << text;
  }
  for (const char* text : {"", ".", ".5", "5.", "-1", "+1", "101", "100.000001", "1e1", "5%", " 5",
                           "0.1234567", "1.2.3", "nan", "99999999999"}) {
    EXPECT_FALSE(Percentage::from(text)) << text;
  }
}

}  // namespace
}  // namespace assay
