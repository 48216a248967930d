#include "suites/readers/line_parser.h"

#include <fmt/format.h>

#include <utility>

#include "profiler/support/blanks.h"
#include "suites/readers/assembly_lines.h"
#include "suites/readers/corpus_line.h"
#include "suites/readers/csv_lines.h"
#include "suites/readers/field.h"
#include "suites/readers/json_lines.h"

namespace assay {
namespace {

/// Parses formats in which each line is a block by itself: hex and BHive's. A first line that names
/// the columns is passed over, since the format itself says what they are.
class ColumnLines : public LineParser {
 public:
  explicit ColumnLines(CorpusFormat format) : format_(format) {}

  std::optional<CorpusItem> take(const Line& line) override {
    if (!holds_block(line)) return std::nullopt;
    if (std::exchange(is_first_, false) && names_csv_columns(line.text)) return std::nullopt;
    if (line.too_long) return too_long(line);
    return parse_corpus_line(line.text, line.number, format_);
  }

 private:
  CorpusFormat format_;
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<LineParser> line_parser(CorpusFormat format, const std::string& file) {
  switch (format) {
    case CorpusFormat::kCsv:
      return csv_lines(file);
    case CorpusFormat::kJsonLines:
      return json_lines(file);
    case CorpusFormat::kAsm:
      return assembly_blocks(Syntax::kIntel);
    case CorpusFormat::kAtt:
      return assembly_blocks(Syntax::kAtt);
    case CorpusFormat::kAsmLine:
      return assembly_lines(Syntax::kIntel);
    case CorpusFormat::kAttLine:
      return assembly_lines(Syntax::kAtt);
    default:
      return std::make_unique<ColumnLines>(format);
  }
}

bool holds_block(const Line& line) {
  const std::string_view text = trimmed(line.text);
  if (text.empty()) return line.too_long;  // what comes after the blanks is not known
  return !text.starts_with('#');
}

BadLine too_long(const Line& line) {
  return bad_line(
      line.number, line.text,
      {kLongestLine + 1, fmt::format("longer than the limit of {} bytes a line", kLongestLine)});
}

}  // namespace assay
