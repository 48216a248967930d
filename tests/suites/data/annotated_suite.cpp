#include "tests/suites/data/annotated_suite.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

#include "profiler/support/error.h"
#include "suites/readers/corpus_line.h"

namespace assay {
namespace {

constexpr std::string_view kText = "# text:";
constexpr std::string_view kExpect = "# expect:";

/// The reason in "VERDICT REASON", such as "rejected system_call"; nothing if there is no such
/// pair.
std::optional<Reason> expectation(const std::string& words) {
  std::istringstream stream(words);
  std::string verdict;
  std::string reason_name;
  std::string rest;
  stream >> verdict >> reason_name;
  const auto reason = named<Reason>(reason_name);
  if (!reason || stream >> rest || name(info(*reason).verdict) != verdict) return std::nullopt;
  return reason;
}

void add_comment(const std::string& line, AnnotatedBlock& block) {
  if (line.starts_with(kText)) {
    block.text = with_single_blanks(line.substr(kText.size()));
  } else if (line.starts_with(kExpect)) {
    const auto reason = expectation(line.substr(kExpect.size()));
    if (!reason) {
      throw InputError(fmt::format("line {}: no verdict with its reason: {}", block.line, line));
    }
    block.expected = *reason;
  } else {
    block.about += line.substr(1);
  }
}

Bytes block_on(const std::string& line, std::int64_t number) {
  const CorpusItem item = parse_corpus_line(line, number, CorpusFormat::kHex);
  if (const auto* const bad = std::get_if<BadLine>(&item)) {
    throw InputError(fmt::format("line {}: {}", number, bad->problem));
  }
  return std::get<CorpusEntry>(item).bytes;
}

}  // namespace

std::string with_single_blanks(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  for (std::string word; words >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

std::vector<AnnotatedBlock> read_annotated_suite(std::istream& suite) {
  std::vector<AnnotatedBlock> blocks;
  AnnotatedBlock next;
  std::int64_t number = 0;
  for (std::string line; std::getline(suite, line);) {
    next.line = ++number;
    if (line.empty()) {
      next = {};
    } else if (line.starts_with('#')) {
      add_comment(line, next);
    } else {
      next.bytes = block_on(line, number);
      blocks.push_back(std::exchange(next, {}));
    }
  }
  return blocks;
}

}  // namespace assay
