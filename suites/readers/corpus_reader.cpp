#include "suites/readers/corpus_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string_view>
#include <utility>
#include <variant>

#include "profiler/block/blanks.h"
#include "profiler/block/clipped.h"
#include "profiler/block/error.h"
#include "suites/readers/corpus_line.h"
#include "suites/readers/foreign_file.h"

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Lines that are passed over in a step of reading ahead, at most.
constexpr int kLinesInAStep = 256;

void refuse_foreign_file(std::string_view start, const std::string& name) {
  if (const auto foreign = foreign_file(start)) {
    throw InputError(
        fmt::format("{} is {}, not a corpus: {}", name, foreign->what, foreign->way_out));
  }
}

bool holds_block(const Line& line) {
  const std::string_view text = trimmed(line.text);
  if (text.empty()) return line.too_long;  // what comes after the blanks is not known
  return !text.starts_with('#');
}

/// The format of a corpus that nobody told us, by its first block line.
CorpusFormat evident_format(const Line& first, const std::string& name) {
  if (first.text.find(',') == std::string_view::npos) return CorpusFormat::kHex;
  throw InputError(fmt::format(
      "{} is ambiguous: its first block line, line {}, has more than one column, and nothing tells "
      "what its number means; say --corpus-format bhive-frequency (how often the block was seen) "
      "or --corpus-format bhive-throughput (cycles per 100 iterations). The line: {}",
      name, first.number, clipped(trimmed(first.text))));
}

CorpusItem item_of(const Line& line, CorpusFormat format) {
  if (!line.too_long) return parse_corpus_line(line.text, line.number, format);
  return BadLine{line.number, fmt::format("longer than the limit of {} bytes a line, in {}",
                                          kLongestLine, clipped(trimmed(line.text)))};
}

}  // namespace

std::string corpus_name(const std::string& path) {
  return path == "-" ? "stdin" : std::filesystem::path(path).stem().string();
}

CorpusReader::CorpusReader(LineReader lines, std::string name, std::optional<CorpusFormat> format)
    : lines_(std::move(lines)), name_(std::move(name)), format_(format) {}

CorpusReader CorpusReader::open(const std::string& path, std::optional<CorpusFormat> format) {
  return {LineReader(InputFile::open(path)), corpus_name(path), format};
}

std::optional<CorpusItem> CorpusReader::next() {
  while (!line_ && !at_end_) take_line();
  if (!line_) return std::nullopt;
  CorpusItem item = item_of(*std::exchange(line_, {}), *format_);
  if (!good_start_) check_start(item);
  return item;
}

Reading CorpusReader::prepare() {
  for (int i = 0; i < kLinesInAStep && !line_ && !at_end_; ++i) {
    if (const Reading state = lines_.prepare(); state != Reading::kReady) return state;
    take_line();
  }
  return line_ || at_end_ ? Reading::kReady : Reading::kGoesOn;
}

void CorpusReader::take_line() {
  std::optional<Line> line = lines_.next();
  at_end_ = !line;
  if (!line) return;
  if (line->number == 1) {
    refuse_foreign_file(line->text, lines_.file().name());
    if (line->text.starts_with(kByteOrderMark)) line->text.remove_prefix(kByteOrderMark.size());
  }
  if (!holds_block(*line)) return;
  if (!format_) format_ = evident_format(*line, lines_.file().name());
  line_ = line;
}

void CorpusReader::check_start(const CorpusItem& item) {
  const auto* const bad = std::get_if<BadLine>(&item);
  if (bad == nullptr) {
    good_start_ = true;
    return;
  }
  if (!first_bad_) first_bad_ = *bad;
  if (++bad_lines_ < kBadStart) return;
  throw InputError(fmt::format(
      "{} seems to be of another format than {}: its first {} block lines are all bad, the first "
      "at line {}: {}. Say which format it has: --corpus-format {}",
      lines_.file().name(), assay::name(*format_), kBadStart, first_bad_->line, first_bad_->problem,
      fmt::join(corpus_format_names(), "|")));
}

}  // namespace assay
