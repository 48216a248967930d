#include "suites/readers/corpus_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "profiler/support/error.h"
#include "suites/readers/line_reader.h"
#include "tests/error_of.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// All items of a corpus: "LINE:HEX" for an entry, "LINE!" for a bad line.
std::vector<std::string> digest(CorpusReader& reader) {
  std::vector<std::string> items;
  while (const auto item = reader.next()) {
    if (const auto* const bad = std::get_if<BadLine>(&*item)) {
      items.push_back(std::to_string(bad->line) + "!");
    } else {
      const auto& entry = std::get<CorpusEntry>(*item);
      items.push_back(std::to_string(entry.line) + ":" + hex_from_bytes(entry.bytes));
    }
  }
  return items;
}

std::vector<std::string> read(std::string_view content, std::optional<CorpusFormat> format) {
  const TemporaryFile file(content);
  CorpusReader reader = CorpusReader::open(file.path(), format);
  return digest(reader);
}

/// The message of what reading the content throws; empty if it throws nothing.
std::string reading_error(std::string_view content, std::optional<CorpusFormat> format) {
  return error_of<InputError>([&] { read(content, format); });
}

std::string repeated(std::string_view line, int times) {
  std::string content;
  for (int i = 0; i < times; ++i) content += line;
  return content;
}

TEST(CorpusReader, PassesOverEmptyLinesAndComments) {
  EXPECT_THAT(read("# a corpus\n\n  \t\r\n90\n \t# 9090\n#\n4801d8", CorpusFormat::kHex),
              ElementsAre("4:90", "7:4801d8"));
}

TEST(CorpusReader, ToleratesWindowsFiles) {
  EXPECT_THAT(read("\xef\xbb\xbf"
                   "90,1\r\n\r\n4801D8,2\r\n",
                   CorpusFormat::kBhiveFrequency),
              ElementsAre("1:90", "3:4801d8"));
}

TEST(CorpusReader, CountsColumnsBehindTheByteOrderMark) {
  const TemporaryFile file(
      "\xef\xbb\xbf"
      "9x\n");
  CorpusReader reader = CorpusReader::open(file.path(), CorpusFormat::kHex);
  const auto item = reader.next();
  ASSERT_TRUE(item.has_value() && std::holds_alternative<BadLine>(*item));
  EXPECT_THAT(std::get<BadLine>(*item).problem, testing::StartsWith("column 2:"));
}

TEST(CorpusReader, TakesAByteOrderMarkOnlyAtTheStart) {
  EXPECT_THAT(read("90\n\xef\xbb\xbf"
                   "90\n",
                   CorpusFormat::kHex),
              ElementsAre("1:90", "2!"));
}

TEST(CorpusReader, GoesOnAfterBadLines) {
  EXPECT_THAT(read("90\n9\nzz\n,\n9090\n", CorpusFormat::kHex),
              ElementsAre("1:90", "2!", "3!", "4!", "5:9090"));
}

TEST(CorpusReader, ReadsEmptyCorpora) {
  EXPECT_THAT(read("", std::nullopt), IsEmpty());
  EXPECT_THAT(read("# nothing here\n", std::nullopt), IsEmpty());
  EXPECT_THAT(read("\n", CorpusFormat::kBhiveThroughput), IsEmpty());
}

TEST(CorpusReader, TakesOneColumnForHexUnasked) {
  const TemporaryFile file("# comment, with a comma\n\n90\n9090\n");
  CorpusReader reader = CorpusReader::open(file.path(), std::nullopt);
  EXPECT_THAT(digest(reader), ElementsAre("3:90", "4:9090"));
  EXPECT_EQ(reader.format(), CorpusFormat::kHex);
}

TEST(CorpusReader, NeverGuessesWhatTheSecondColumnMeans) {
  EXPECT_THAT(reading_error("# two columns\n90,0.5\n", std::nullopt),
              AllOf(HasSubstr("ambiguous"), HasSubstr("line 2"), HasSubstr(R"("90,0.5")"),
                    HasSubstr("--corpus-format bhive-frequency"),
                    HasSubstr("--corpus-format bhive-throughput")));
}

TEST(CorpusReader, RefusesAnAmbiguousCorpusBeforeItsFirstBlock) {
  const TemporaryFile file("90,0.5\n");
  CorpusReader reader = CorpusReader::open(file.path(), std::nullopt);
  EXPECT_THROW(reader.prepare(), InputError);
}

TEST(CorpusReader, WaitsBehindLinesThatArePassedOver) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  CorpusReader reader = CorpusReader::open(fmt::format("/dev/fd/{}", ends[0]), std::nullopt);
  const auto prepare_after = [&](std::string_view text) {
    EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    Readiness state = reader.prepare();
    while (state == Readiness::kGoesOn) state = reader.prepare();
    return state;
  };
  EXPECT_EQ(prepare_after("# a comment\n\n"), Readiness::kWaits);
  EXPECT_EQ(prepare_after("90"), Readiness::kWaits);
  EXPECT_EQ(prepare_after("90\n#"), Readiness::kReady);
  EXPECT_EQ(hex_from_bytes(std::get<CorpusEntry>(reader.next().value()).bytes), "9090");
  EXPECT_EQ(reader.prepare(), Readiness::kWaits);
  EXPECT_FALSE(reader.at_end());
  ::close(ends[1]);
  EXPECT_EQ(reader.prepare(), Readiness::kReady);
  EXPECT_TRUE(reader.at_end());
  ::close(ends[0]);
}

TEST(CorpusReader, PassesOverManyCommentsStepByStep) {
  const TemporaryFile file(repeated("#\n", 1000) + "90\n");
  CorpusReader reader = CorpusReader::open(file.path(), std::nullopt);
  EXPECT_EQ(reader.prepare(), Readiness::kGoesOn);
  EXPECT_THAT(digest(reader), ElementsAre("1001:90"));
}

TEST(CorpusReader, StopsWhenTheStartIsOfAnotherFormat) {
  EXPECT_THAT(reading_error("# comment\n" + repeated("90,0.5\n", 100), CorpusFormat::kHex),
              AllOf(HasSubstr("another format than hex"), HasSubstr("first 100 block lines"),
                    HasSubstr("at line 2: column 4"), HasSubstr(R"("90,0.5")"),
                    HasSubstr("--corpus-format hex|bhive-frequency|bhive-throughput")));
  EXPECT_THAT(reading_error(repeated("90\n", 100), CorpusFormat::kBhiveFrequency),
              HasSubstr("another format than bhive-frequency"));
}

TEST(CorpusReader, GoesOnWhenOneOfTheFirstLinesIsGood) {
  EXPECT_EQ(read(repeated("zz\n", 99), CorpusFormat::kHex).size(), 99U);
  EXPECT_EQ(read(repeated("zz\n", 99) + "90\n" + repeated("zz\n", 200), CorpusFormat::kHex).size(),
            300U);
  EXPECT_EQ(read("90\n" + repeated("zz\n", 200), CorpusFormat::kHex).size(), 201U);
}

TEST(CorpusReader, MakesALineThatIsTooLongABadLine) {
  const TemporaryFile file(std::string(1'000'000, '9') + "\n90\n");
  CorpusReader reader = CorpusReader::open(file.path(), CorpusFormat::kHex);
  const auto item = reader.next();
  ASSERT_TRUE(item.has_value() && std::holds_alternative<BadLine>(*item));
  const BadLine& bad = std::get<BadLine>(*item);
  EXPECT_EQ(bad.line, 1);
  EXPECT_THAT(bad.problem, HasSubstr("limit of " + std::to_string(kLongestLine) + " bytes"));
  EXPECT_LT(bad.problem.size(), 200U);
  EXPECT_THAT(digest(reader), ElementsAre("2:90"));
}

TEST(CorpusReader, ReadsTheLargestBlock) {
  const std::string largest(2 * kLargestBlock, '9');
  EXPECT_THAT(read(largest + ",0.00000001\n", CorpusFormat::kBhiveFrequency),
              ElementsAre("1:" + largest));
}

TEST(CorpusReader, TreatsLongBlanksAndCommentsByWhatIsKnownOfThem) {
  const std::string longer(2 * kLongestLine, ' ');
  EXPECT_THAT(read("#" + longer + "\n" + longer + "\n90\n", std::nullopt),
              ElementsAre("2!", "3:90"));
}

TEST(CorpusReader, GivesBinaryFilesAsBadLines) {
  std::string binary;
  for (int i = 0; i < 512; ++i) binary += static_cast<char>(i);
  const TemporaryFile file(binary);
  CorpusReader reader = CorpusReader::open(file.path(), CorpusFormat::kHex);
  while (const auto item = reader.next()) {
    ASSERT_TRUE(std::holds_alternative<BadLine>(*item));
    for (const char c : std::get<BadLine>(*item).problem) EXPECT_TRUE(c >= 0x20 && c < 0x7f);
  }
}

TEST(CorpusReader, SaysWhatAForeignFileIs) {
  EXPECT_THAT(reading_error("BZh91AY", std::nullopt),
              AllOf(HasSubstr("bzip2-compressed"), HasSubstr("decompress it first")));
  EXPECT_THAT(reading_error("\x7f"
                            "ELF\x02\x01\n",
                            CorpusFormat::kHex),
              AllOf(HasSubstr("ELF"), HasSubstr("assay extract")));
}

TEST(CorpusReader, SaysWhatKeepsAFileFromBeingRead) {
  EXPECT_THROW(CorpusReader::open(testing::TempDir() + "no-such-corpus", std::nullopt), InputError);
  CorpusReader folder = CorpusReader::open(testing::TempDir(), CorpusFormat::kHex);
  EXPECT_THROW(folder.next(), InputError);
}

TEST(CorpusReader, NamesTheCorpusAfterItsFile) {
  const TemporaryFile file("90\n", ".goto.csv");
  const std::string name = CorpusReader::open(file.path(), std::nullopt).name();
  EXPECT_EQ(name + ".csv", std::filesystem::path(file.path()).filename());
  EXPECT_EQ(corpus_name("a/b.goto.csv.gz"), "b.goto");
  EXPECT_EQ(corpus_name("b.jsonl.zst"), "b");
  EXPECT_EQ(corpus_name("b.gz"), "b");
  EXPECT_EQ(corpus_name("b\xff\xc3\xa9.hex"), "b\xef\xbf\xbd\xc3\xa9");
}

TEST(CorpusReader, ReadsStandardInput) {
  const TemporaryFile file("90\n9090\n");
  const int saved = ::dup(STDIN_FILENO);
  const int content = ::open(file.path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::dup2(content, STDIN_FILENO), STDIN_FILENO);
  {
    CorpusReader reader = CorpusReader::open("-", std::nullopt);
    EXPECT_EQ(reader.name(), "stdin");
    EXPECT_THAT(digest(reader), ElementsAre("1:90", "2:9090"));
  }
  EXPECT_NE(::fcntl(STDIN_FILENO, F_GETFD), -1) << "standard input is not the reader's to close";
  if (saved >= 0) ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(content);
}

}  // namespace
}  // namespace assay
