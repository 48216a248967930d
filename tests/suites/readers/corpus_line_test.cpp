#include "suites/readers/corpus_line.h"

#include <gmock/gmock.h>

#include <string>

namespace assay {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr CorpusFormat kHex = CorpusFormat::kHex;
constexpr CorpusFormat kFrequency = CorpusFormat::kBhiveFrequency;
constexpr CorpusFormat kThroughput = CorpusFormat::kBhiveThroughput;

const Bytes kAdd = {0x48, 0x01, 0xd8};

CorpusEntry entry(std::string_view text, CorpusFormat format) {
  const CorpusItem item = parse_corpus_line(text, 7, format);
  if (const auto* const bad = std::get_if<BadLine>(&item)) {
    ADD_FAILURE() << bad->problem;
    return {};
  }
  return std::get<CorpusEntry>(item);
}

/// The problem of a bad line; "none" for a good line, which no test expects.
std::string problem(std::string_view text, CorpusFormat format) {
  const CorpusItem item = parse_corpus_line(text, 7, format);
  const auto* const bad = std::get_if<BadLine>(&item);
  if (bad == nullptr) return "none";
  EXPECT_EQ(bad->line, 7);
  return bad->problem;
}

TEST(CorpusLine, ReadsABlockAlone) {
  const CorpusEntry read = entry("4801d8", kHex);
  EXPECT_EQ(read.bytes, kAdd);
  EXPECT_EQ(read.frequency, std::nullopt);
  EXPECT_EQ(read.reference_cycles, std::nullopt);
  EXPECT_EQ(read.line, 7);
}

TEST(CorpusLine, KeepsTheNumberForWhatTheFormatSaysItIs) {
  const CorpusEntry frequency = entry("4801d8,0.25", kFrequency);
  EXPECT_EQ(frequency.frequency, 0.25);
  EXPECT_EQ(frequency.reference_cycles, std::nullopt);
  const CorpusEntry throughput = entry("4801d8,99.5", kThroughput);
  EXPECT_EQ(throughput.frequency, std::nullopt);
  EXPECT_EQ(throughput.reference_cycles, 99.5);
}

TEST(CorpusLine, ToleratesBlanksAndUpperCase) {
  EXPECT_EQ(entry(" \t4801D8\t \r", kHex).bytes, kAdd);
  const CorpusEntry read = entry("  4801D8 ,\t5e-1 \r", kFrequency);
  EXPECT_EQ(read.bytes, kAdd);
  EXPECT_EQ(read.frequency, 0.5);
}

TEST(CorpusLine, ReadsNumbersOfEveryShape) {
  EXPECT_EQ(entry("90,0", kThroughput).reference_cycles, 0);
  EXPECT_EQ(entry("90,12", kThroughput).reference_cycles, 12);
  EXPECT_EQ(entry("90,1.5E+3", kThroughput).reference_cycles, 1500);
}

TEST(CorpusLine, RefusesAWrongNumberOfColumns) {
  EXPECT_THAT(problem("90,0.5", kHex), StartsWith("column 4: a second column"));
  EXPECT_THAT(problem("90,", kHex), StartsWith("column 4: a second column"));
  EXPECT_THAT(problem(" 90", kFrequency), StartsWith("column 4: the second column is missing"));
  EXPECT_THAT(problem("90", kThroughput), HasSubstr("bhive-throughput has HEX,CYCLES"));
  EXPECT_THAT(problem("90,0.5, 7", kFrequency), StartsWith("column 9: a third column"));
  EXPECT_THAT(problem("90,0.5,", kFrequency), StartsWith("column 8: a third column"));
}

TEST(CorpusLine, RefusesWhatIsNoBlock) {
  EXPECT_THAT(problem(",0.5", kFrequency), StartsWith("column 1: the block is empty"));
  EXPECT_THAT(problem("  ,0.5", kFrequency), StartsWith("column 3: the block is empty"));
  EXPECT_THAT(problem("0x90", kHex), StartsWith("column 1: the block starts with 0x"));
  EXPECT_THAT(problem("\t0X90", kHex), StartsWith("column 2: the block starts with 0x"));
  EXPECT_THAT(problem("4801g8", kHex), StartsWith(R"(column 5: "g" is no hexadecimal digit)"));
  EXPECT_THAT(problem(" 48 01", kHex), StartsWith(R"(column 4: " " is no hexadecimal digit)"));
  EXPECT_THAT(problem("90909", kHex),
              StartsWith("column 1: an odd number of hexadecimal digits (5)"));
  EXPECT_THAT(problem("9", kHex), StartsWith("column 1: an odd number"));
}

TEST(CorpusLine, TakesNoNeighbourOfADigitForADigit) {
  for (const char wrong : {'/', ':', '@', 'G', '`', 'g', '\x7f', '\xb0'}) {
    EXPECT_THAT(problem(std::string("9") + wrong, kHex), HasSubstr("is no hexadecimal digit"));
  }
  EXPECT_EQ(entry("09afAF", kHex).bytes, (Bytes{0x09, 0xaf, 0xaf}));
}

TEST(CorpusLine, RefusesWhatIsNoFrequency) {
  EXPECT_THAT(problem("90,", kFrequency), StartsWith("column 4: the number is missing"));
  EXPECT_THAT(problem("90,often", kFrequency), StartsWith(R"(column 4: "often" is no number)"));
  EXPECT_THAT(problem("90,1.5x", kFrequency), StartsWith(R"(column 4: "1.5x" is no number)"));
  EXPECT_THAT(problem("90,0x10", kFrequency), StartsWith(R"(column 4: "0x10" is no number)"));
  EXPECT_THAT(problem("90, -0.5", kFrequency), StartsWith(R"(column 5: "-0.5" is negative)"));
  for (const char* const number : {"inf", "-inf", "nan", "NaN", "1e999"}) {
    EXPECT_THAT(problem(std::string("90,") + number, kFrequency),
                StartsWith(std::string("column 4: \"") + number + "\" is no finite number"));
  }
}

TEST(CorpusLine, ShowsTheLineClippedAndEscaped) {
  EXPECT_THAT(problem("9\x1b", kHex), HasSubstr(R"(, in "9\x1b")"));
  const std::string shown = problem(std::string(30000, 'z'), kHex);
  EXPECT_LT(shown.size(), 200U);
  EXPECT_THAT(problem("90," + std::string(30000, 'z'), kFrequency).size(), testing::Lt(200U));
}

}  // namespace
}  // namespace assay
