#include "suites/readers/csv_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "profiler/support/counted.h"
#include "profiler/support/error.h"
#include "suites/readers/field.h"

namespace assay {
namespace {

enum class Column { kBlock, kWeight, kName, kSource, kState, kOther };

constexpr std::pair<std::string_view, Column> kColumns[] = {
    {"hex", Column::kBlock},        {"hexCode", Column::kBlock}, {"weight", Column::kWeight},
    {"frequency", Column::kWeight}, {"name", Column::kName},     {"source", Column::kSource},
    {"state", Column::kState},
};

Column column_named(std::string_view name) {
  const auto* const found =
      std::ranges::find(kColumns, name, &std::pair<std::string_view, Column>::first);
  return found == std::end(kColumns) ? Column::kOther : found->second;
}

/// The values of a line, one after the other.
class Values {
 public:
  explicit Values(std::string_view line) : line_(line) {}

  bool at_end() const { return begin_ > line_.size(); }
  /// The column of the line at which the next value starts, or at which it is missing.
  std::size_t column() const { return std::min(begin_, line_.size()) + 1; }

  /// The next value, without blanks and quotes around it: a view of the line, or of `scratch` if
  /// the value contains quotes. Throws Problem.
  Field next(std::string& scratch) {
    const std::size_t first = std::min(line_.find_first_not_of(kBlanks, begin_), line_.size());
    if (first < line_.size() && line_[first] == '"') return quoted(first, scratch);
    const std::size_t end = std::min(line_.find(',', begin_), line_.size());
    const Field field{trimmed(line_.substr(begin_, end - begin_)), std::min(first, end) + 1};
    begin_ = end + 1;
    return field;
  }

 private:
  Field quoted(std::size_t quote, std::string& scratch) {
    const std::size_t begin = quote + 1;
    std::size_t end = begin;
    bool doubled = false;
    // Two quotes in a row stand for one within the value (RFC 4180); a single one ends it.
    for (;; end += 2, doubled = true) {
      end = line_.find('"', end);
      if (end == std::string_view::npos) throw Problem{quote + 1, "the quotes are not closed"};
      if (end + 1 == line_.size() || line_[end + 1] != '"') break;
    }
    const std::size_t next = std::min(line_.find_first_not_of(kBlanks, end + 1), line_.size());
    if (next < line_.size() && line_[next] != ',') {
      throw Problem{next + 1, "expected a comma after the closing quote"};
    }
    begin_ = next + 1;
    const std::string_view text = line_.substr(begin, end - begin);
    if (!doubled) return {text, begin + 1};
    scratch.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
      scratch += text[i];
      if (text[i] == '"') ++i;
    }
    return {scratch, begin + 1};
  }

  std::string_view line_;
  std::size_t begin_ = 0;  ///< where the next value begins; past the line's end after the last
};

std::vector<Column> columns_of(std::string_view header) {
  std::vector<Column> columns;
  std::string scratch;
  for (Values values(header); !values.at_end();) {
    const Field field = values.next(scratch);
    const Column column = column_named(field.text);
    if (column != Column::kOther && std::ranges::count(columns, column) > 0) {
      throw Problem{field.column,
                    "two columns hold the same field; the second is " + clipped(field.text)};
    }
    columns.push_back(column);
  }
  if (std::ranges::count(columns, Column::kBlock) == 0) {
    throw Problem{1, "no column is called hex, where the blocks would be"};
  }
  return columns;
}

Checked read_value(const Field& field, Column column, CorpusEntry& entry) {
  if (column == Column::kBlock) return read_block(field, entry.bytes);
  if (field.text.empty()) return std::nullopt;
  switch (column) {
    case Column::kWeight:
      return read_number(field, entry.frequency);
    case Column::kName:
      return read_text(field, entry.name);
    case Column::kSource:
      return read_text(field, entry.origin);
    case Column::kState:
      return read_state(field, entry.state);
    default:
      return std::nullopt;
  }
}

class CsvLines : public LineParser {
 public:
  explicit CsvLines(std::string file) : file_(std::move(file)) {}

  std::optional<CorpusItem> take(const Line& line) override {
    if (!holds_block(line)) return std::nullopt;
    if (columns_.empty()) {
      read_header(line);
      return std::nullopt;
    }
    if (line.too_long) return too_long(line);
    CorpusEntry entry;
    entry.line = line.number;
    try {
      read(line.text, entry);
    } catch (const Problem& problem) {
      return bad_line(line.number, line.text, problem);
    }
    return entry;
  }

 private:
  void read_header(const Line& line) {
    try {
      columns_ = columns_of(line.text);
    } catch (const Problem& problem) {
      throw InputError(fmt::format("{}, line {}: the columns' names are wrong: {}", file_,
                                   line.number, bad_line(line.number, line.text, problem).problem));
    }
  }

  void read(std::string_view line, CorpusEntry& entry) {
    Values values(line);
    for (const Column column : columns_) {
      if (values.at_end()) {
        throw Problem{values.column(),
                      "fewer values than the " + counted(columns_.size(), "column")};
      }
      if (Checked problem = read_value(values.next(scratch_), column, entry)) throw *problem;
    }
    if (!values.at_end()) {
      throw Problem{values.column(), "more values than the " + counted(columns_.size(), "column")};
    }
  }

  std::string file_;
  std::vector<Column> columns_;  ///< empty before the first line
  std::string scratch_;
};

}  // namespace

std::unique_ptr<LineParser> csv_lines(const std::string& file) {
  return std::make_unique<CsvLines>(file);
}

bool names_csv_columns(std::string_view line) {
  try {
    std::string scratch;
    for (Values values(line); !values.at_end();) {
      if (column_named(values.next(scratch).text) == Column::kBlock) return true;
    }
  } catch (const Problem&) {  // malformed quotes: not such a line
  }
  return false;
}

}  // namespace assay
