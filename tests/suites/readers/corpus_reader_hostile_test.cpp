// Corpora damaged at random, with fixed seeds. Whatever the damage, every line must be an entry, a
// bad line or passed over, in order and with its own number.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <vector>

#include "suites/readers/corpus_reader.h"
#include "suites/readers/line_reader.h"
#include "tests/suites/readers/temporary_file.h"

namespace assay {
namespace {

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string mutate(std::string text) {
    for (std::size_t i = 1 + below(8); i > 0; --i) mutate_once(text);
    return text;
  }

 private:
  /// A random number below `bound`. Not by one of the standard's distributions, whose values differ
  /// between libraries.
  std::size_t below(std::size_t bound) { return random_() % std::max<std::size_t>(bound, 1); }

  std::string inserted() {
    static const std::string kSnippets[] = {
        "\n",  "\r\n", ",",     std::string(1, '\0'), "#", "0x", " ",     "\t",
        "inf", "-1",   "1e999", "\xef\xbb\xbf",       "9", "zz", "\n\n\n"};
    const std::size_t choice = below(std::size(kSnippets) + 2);
    if (choice < std::size(kSnippets)) return kSnippets[choice];
    if (choice == std::size(kSnippets)) return std::string(1, static_cast<char>(below(256)));
    return std::string(below(2 * kLongestLine), '9');
  }

  void mutate_once(std::string& text) {
    // The first two bytes are not damaged: they may decide what kind of file it is, which other
    // tests are about.
    const std::size_t at = std::min(2 + below(text.size()), text.size());
    switch (below(4)) {
      case 0:
        text.insert(at, inserted());
        break;
      case 1:
        text.erase(at, below(40));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      default:
        text.insert(at, text.substr(below(text.size()), below(200)));
    }
  }

  std::mt19937_64 random_;
};

/// A corpus without bad lines. It has fewer lines than a bad start takes, so that no damage ends
/// the reading early.
std::string good_corpus(CorpusFormat format) {
  std::string content = "# a small corpus\n";
  for (int i = 1; i < 30; ++i) {
    content += std::string(static_cast<std::size_t>(2 * i), "0123456789abcdefABCDEF"[i % 22]);
    if (columns(format) == 2) content += fmt::format(",{:.2f}", 0.01 * i);
    content += i % 7 == 0 ? "\r\n\n" : "\n";
  }
  return content;
}

std::vector<std::string> split_lines(const std::string& content) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < content.size();) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    lines.push_back(content.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

bool is_passed_over(const std::string& line) {
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first < kLongestLine) return line[first] == '#';
  return line.size() <= kLongestLine;
}

/// Checks that an entry is just what its line says, and that a bad line's problem is printable.
void check_item(const CorpusItem& item, std::size_t number, const std::string& line) {
  if (const auto* const bad = std::get_if<BadLine>(&item)) {
    EXPECT_EQ(bad->line, static_cast<std::int64_t>(number));
    EXPECT_TRUE(std::ranges::all_of(bad->problem, [](char c) { return c >= 0x20 && c < 0x7f; }));
    EXPECT_LT(bad->problem.size(), 400U);
    return;
  }
  const auto& entry = std::get<CorpusEntry>(item);
  EXPECT_EQ(entry.line, static_cast<std::int64_t>(number));
  const std::size_t begin = line.find_first_not_of(" \t\r");
  std::string digits = line.substr(begin, line.find_first_of(", \t\r", begin) - begin);
  std::ranges::transform(digits, digits.begin(), [](char c) { return std::tolower(c); });
  EXPECT_EQ(hex_from_bytes(entry.bytes), digits);
}

class HostileCorpus : public testing::TestWithParam<CorpusFormat> {};

TEST_P(HostileCorpus, GivesEveryLineItsItem) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(seed);
    const std::string content = Mutator(seed).mutate(good_corpus(GetParam()));
    const TemporaryFile file(content);
    CorpusReader reader = CorpusReader::open(file.path(), GetParam());
    const std::vector<std::string> lines = split_lines(content);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (is_passed_over(lines[i])) continue;
      const auto item = reader.next();
      ASSERT_TRUE(item.has_value()) << "no item for line " << i + 1;
      check_item(*item, i + 1, lines[i]);
    }
    EXPECT_FALSE(reader.next().has_value());
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(AllFormats, HostileCorpus,
                         testing::Values(CorpusFormat::kHex, CorpusFormat::kBhiveFrequency,
                                         CorpusFormat::kBhiveThroughput));

}  // namespace
}  // namespace assay
