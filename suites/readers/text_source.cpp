#include "suites/readers/text_source.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "profiler/support/error.h"
#include "suites/readers/evident_format.h"
#include "suites/readers/foreign_file.h"

namespace assay {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// How many lines prepare() reads at most, so that it does not take long.
constexpr int kLinesInAStep = 256;

void refuse_foreign_file(std::string_view start, const std::string& name) {
  if (const auto foreign = foreign_file(start)) {
    throw InputError(
        fmt::format("{} is {}, not a corpus: {}", name, foreign->what, foreign->way_out));
  }
}

}  // namespace

TextSource::TextSource(LineReader lines, std::optional<CorpusFormat> format)
    : lines_(std::move(lines)) {
  if (format) begin(*format);
}

void TextSource::begin(CorpusFormat format) {
  format_ = format;
  parser_ = line_parser(format, lines_.name());
}

std::optional<CorpusItem> TextSource::next() {
  while (!item_ && !at_end_) take_line();
  return std::exchange(item_, std::nullopt);
}

Readiness TextSource::prepare() {
  for (int i = 0; i < kLinesInAStep && !item_ && !at_end_; ++i) {
    if (const Readiness state = lines_.prepare(); state != Readiness::kReady) return state;
    take_line();
  }
  return item_ || at_end_ ? Readiness::kReady : Readiness::kGoesOn;
}

void TextSource::take_line() {
  std::optional<Line> line = lines_.next();
  at_end_ = !line;
  if (!line) {
    if (parser_) item_ = parser_->end();
    return;
  }
  if (line->number == 1) {
    refuse_foreign_file(line->text, lines_.name());
    if (line->text.starts_with(kByteOrderMark)) line->text.remove_prefix(kByteOrderMark.size());
  }
  item_ = item_of(*line);
}

std::optional<CorpusItem> TextSource::item_of(const Line& line) {
  if (!parser_) {
    if (!holds_block(line)) return std::nullopt;
    begin(evident_format(line, lines_.name()));
  }
  return parser_->take(line);
}

}  // namespace assay
