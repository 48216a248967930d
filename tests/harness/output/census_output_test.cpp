#include "harness/output/census_output.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "tests/suites/filter/some_support.h"

namespace assay {
namespace {

using testing::HasSubstr;
using testing::Not;

void add(Census& census, const char* hex, std::optional<double> weight = std::nullopt,
         bool is_new = true) {
  const Bytes bytes = bytes_from_hex(hex);
  census.add(facts_of(bytes, some_support(true)), bytes.size(), weight, is_new);
}

Census weighted_census() {
  Census census;
  add(census, "4801d8", 1);
  add(census, "4801d8", 2, false);
  add(census, "488b03488901", 1);
  add(census, "0f05");
  census.bad_lines = 2;
  return census;
}

TEST(CensusOutput, SaysWhatThereIsInNumbersAndShares) {
  const std::string text = to_text(weighted_census());
  EXPECT_THAT(text,
              HasSubstr("3 blocks on 4 lines, weight 4 (1 of the lines without); bad lines: 2\n"));
  EXPECT_THAT(text, HasSubstr("  may_alias                        1    33.33%        25.00%\n"));
  EXPECT_THAT(text, HasSubstr("  system_call                      1    33.33%         0.00%\n"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(CensusOutput, LeavesWeightsOutWhereThereAreNone) {
  Census census;
  add(census, "4801d8");
  const std::string text = to_text(census);
  EXPECT_THAT(text, testing::StartsWith("1 block\n"));
  EXPECT_THAT(text, Not(HasSubstr("weight")));
  EXPECT_THAT(text, Not(HasSubstr("\nrefused  ")));
}

TEST(CensusOutput, SumsLengthsUpByDoubling) {
  Census census;
  std::string hex;
  for (int length = 1; length <= 5; ++length) add(census, (hex += "90").c_str());
  const std::string text = to_text(census);
  for (const char* const row : {"  1         ", "  2         ", "  3-4       ", "  5-8       "}) {
    EXPECT_THAT(text, HasSubstr(row));
  }
  EXPECT_THAT(text, HasSubstr("  3-4                              2    40.00%\n"));
}

TEST(CensusOutput, HasEveryNumberInJson) {
  const auto json = to_json(weighted_census());
  EXPECT_EQ(json["lines"], 4);
  EXPECT_EQ(json["blocks"], 3);
  EXPECT_EQ(json["bad_lines"], 2);
  EXPECT_EQ(json["weighted_lines"], 3);
  EXPECT_EQ(json["weight"], 4);
  EXPECT_EQ(json["instructions"].dump(),
            R"({"1":{"blocks":1,"weight":3.0},"2":{"blocks":1,"weight":1.0}})");
  EXPECT_EQ(json["bytes"]["2"]["blocks"], 1);
  EXPECT_EQ(json["extensions"]["base"]["blocks"], 2);
  EXPECT_EQ(json["memory"]["both"]["weight"], 1);
  EXPECT_EQ(json["memory"]["stores"]["blocks"], 0);
  EXPECT_EQ(json["rip_relative"]["blocks"], 0);
  EXPECT_EQ(json["traits"]["may_alias"]["blocks"], 1);
  EXPECT_EQ(json["refused"].dump(), R"({"system_call":{"blocks":1,"weight":0.0}})");
}

}  // namespace
}  // namespace assay
