#include "suites/readers/corpus_format.h"

#include <gmock/gmock.h>

namespace assay {
namespace {

TEST(CorpusFormat, HasNamesThatLeadBackToIt) {
  EXPECT_THAT(
      corpus_format_names(),
      testing::ElementsAre("hex", "bhive-frequency", "bhive-throughput", "bhive-category", "csv",
                           "jsonl", "asm", "att", "asm-line", "att-line", "raw", "store"));
  for (const std::string_view each : corpus_format_names()) {
    const auto format = named<CorpusFormat>(each);
    ASSERT_TRUE(format.has_value()) << each;
    EXPECT_EQ(name(*format), each);
  }
  EXPECT_EQ(named<CorpusFormat>("bhive"), std::nullopt);
  EXPECT_EQ(named<CorpusFormat>(""), std::nullopt);
}

TEST(CorpusFormat, HasAsManyColumnsAsItsShape) {
  EXPECT_EQ(columns(CorpusFormat::kHex), 1);
  EXPECT_EQ(shape(CorpusFormat::kHex), "HEX");
  EXPECT_EQ(columns(CorpusFormat::kBhiveFrequency), 2);
  EXPECT_EQ(shape(CorpusFormat::kBhiveFrequency), "HEX,NUMBER");
  EXPECT_EQ(columns(CorpusFormat::kBhiveThroughput), 2);
  EXPECT_EQ(shape(CorpusFormat::kBhiveThroughput), "HEX,CYCLES");
  EXPECT_EQ(columns(CorpusFormat::kBhiveCategory), 2);
  EXPECT_EQ(shape(CorpusFormat::kBhiveCategory), "HEX,CATEGORY");
  EXPECT_EQ(columns(CorpusFormat::kCsv), 1);
}

}  // namespace
}  // namespace assay
