#include "suites/readers/line_reader.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(std::string_view content) {
  const TemporaryFile file(content);
  LineReader reader(InputFile::open(file.path()));
  std::vector<std::string> lines;
  while (const auto line = reader.next()) {
    lines.emplace_back(line->text);
    EXPECT_EQ(line->number, static_cast<std::int64_t>(lines.size()));
  }
  EXPECT_FALSE(reader.next().has_value()) << "the end must stay the end";
  return lines;
}

TEST(LineReader, SplitsAtLineFeeds) {
  EXPECT_THAT(lines_of(""), IsEmpty());
  EXPECT_THAT(lines_of("\n"), ElementsAre(""));
  EXPECT_THAT(lines_of("a\n\nb\r\n"), ElementsAre("a", "", "b\r"));
  EXPECT_THAT(lines_of("a\nb"), ElementsAre("a", "b"));
}

TEST(LineReader, KeepsNulBytes) {
  EXPECT_THAT(lines_of(std::string_view("\0a\0\n\0", 5)),
              ElementsAre(std::string("\0a\0", 3), std::string("\0", 1)));
}

TEST(LineReader, ReadsLinesThatLieAcrossItsBuffersEnd) {
  // Lines whose lengths share no factor with any buffer's size, enough of them to fill several
  // buffers.
  std::string content;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 4000; ++i) {
    expected.emplace_back((i * 37) % 1013, static_cast<char>('a' + i % 26));
    content += expected.back() + "\n";
  }
  EXPECT_EQ(lines_of(content), expected);
}

TEST(LineReader, CutsLinesThatAreTooLongAndGoesOn) {
  const std::string longest(kLongestLine, 'x');
  const TemporaryFile file(longest + "\n" + longest + "y\n" + std::string(3'000'000, 'z') +
                           "\nshort\n");
  LineReader reader(InputFile::open(file.path()));
  const auto whole = reader.next();
  ASSERT_TRUE(whole.has_value());
  EXPECT_FALSE(whole->too_long);
  EXPECT_EQ(whole->text, longest);
  for (const std::int64_t number : {2, 3}) {
    const auto cut = reader.next();
    ASSERT_TRUE(cut.has_value());
    EXPECT_TRUE(cut->too_long);
    EXPECT_EQ(cut->text.size(), kLongestLine);
    EXPECT_EQ(cut->number, number);
  }
  const auto next = reader.next();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->text, "short");
  EXPECT_EQ(next->number, 4);
}

TEST(LineReader, CutsALastLineThatIsTooLong) {
  const TemporaryFile file(std::string(3'000'000, 'z'));
  LineReader reader(InputFile::open(file.path()));
  const auto cut = reader.next();
  ASSERT_TRUE(cut.has_value());
  EXPECT_TRUE(cut->too_long);
  EXPECT_FALSE(reader.next().has_value());
}

TEST(LineReader, GivesALineAsSoonAsItIsThere) {
  // The pipe stays open: waiting for more than the line would take for ever.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  LineReader reader(InputFile(ends[0], "pipe"));
  for (const std::string_view text : {"90\n", "9090\n"}) {
    ASSERT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    const auto line = reader.next();
    ASSERT_TRUE(line.has_value());
    EXPECT_EQ(line->text, text.substr(0, text.size() - 1));
  }
  ::close(ends[1]);
  EXPECT_FALSE(reader.next().has_value());
}

/// What prepare() says before each line of a pipe that holds this content.
std::vector<Readiness> readings_of(std::string_view content, bool ended) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], content.data(), content.size()), static_cast<ssize_t>(content.size()));
  if (ended) close(ends[1]);
  LineReader reader(InputFile(ends[0], "a pipe"));
  std::vector<Readiness> readings;
  do {
    readings.push_back(reader.prepare());
    while (readings.back() == Readiness::kGoesOn) readings.back() = reader.prepare();
  } while (readings.back() == Readiness::kReady && reader.next());
  if (!ended) close(ends[1]);
  return readings;
}

TEST(LineReader, WaitsForWhoeverWritesToAPipe) {
  using enum Readiness;
  EXPECT_THAT(readings_of("", false), ElementsAre(kWaits));
  EXPECT_THAT(readings_of("a\nb\n", false), ElementsAre(kReady, kReady, kWaits));
  EXPECT_THAT(readings_of("a\nb\n", true), ElementsAre(kReady, kReady, kReady));
  EXPECT_THAT(readings_of("", true), ElementsAre(kReady));
}

TEST(LineReader, IsNotReadyWithHalfALine) {
  using enum Readiness;
  EXPECT_THAT(readings_of("a\nb", false), ElementsAre(kReady, kWaits));
  EXPECT_THAT(readings_of("a\nb", true), ElementsAre(kReady, kReady, kReady));
  const std::string too_long(kLongestLine + 1, 'x');
  EXPECT_THAT(readings_of(too_long, false), ElementsAre(kReady, kWaits)) << "a cut line, no end";
}

TEST(LineReader, PassesOverALineThatIsTooLongStepByStep) {
  const TemporaryFile file(std::string(3'000'000, 'z') + "\nshort\n");
  LineReader reader(InputFile::open(file.path()));
  while (reader.prepare() != Readiness::kReady) {
  }
  EXPECT_TRUE(reader.next().value().too_long);
  int steps = 0;
  for (; reader.prepare() != Readiness::kReady; ++steps) {
  }
  EXPECT_GE(steps, 10) << "a buffer each";
  EXPECT_EQ(reader.next().value().text, "short");
}

}  // namespace
}  // namespace assay
