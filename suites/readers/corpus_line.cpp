#include "suites/readers/corpus_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "profiler/support/blanks.h"
#include "suites/readers/field.h"

namespace assay {
namespace {

/// A line's first two columns, and whatever comes after the second comma.
struct Fields {
  Field block;
  std::optional<Field> second;
  std::optional<Field> extra;
};

/// The column that starts at `begin`; moves `begin` to the next one's start, or past the line's end
/// if this is the last.
Field take_field(std::string_view line, std::size_t& begin) {
  const std::size_t end = std::min(line.find(',', begin), line.size());
  const std::string_view whole = line.substr(begin, end - begin);
  const std::size_t blanks = std::min(whole.find_first_not_of(kBlanks), whole.size());
  const Field field{trimmed(whole), begin + blanks + 1};
  begin = end + 1;
  return field;
}

Fields split(std::string_view line) {
  Fields fields;
  std::size_t begin = 0;
  fields.block = take_field(line, begin);
  if (begin <= line.size()) fields.second = take_field(line, begin);
  if (begin <= line.size()) fields.extra = take_field(line, begin);
  return fields;
}

Checked problem_of_columns(const Fields& fields, CorpusFormat format) {
  if (columns(format) == 1 && fields.second) {
    return Problem{fields.second->column,
                   fmt::format("a second column, where the format {} has only {}", name(format),
                               shape(format))};
  }
  if (columns(format) == 2 && !fields.second) {
    return Problem{fields.block.column + fields.block.text.size(),
                   fmt::format("the second column is missing; the format {} has {}", name(format),
                               shape(format))};
  }
  if (fields.extra) {
    return Problem{fields.extra->column,
                   fmt::format("a third column, where the format {} has only {}", name(format),
                               shape(format))};
  }
  return std::nullopt;
}

/// Puts the second column's value into the field of the entry that it stands for in this format.
Checked read_second(const Field& field, CorpusFormat format, CorpusEntry& entry) {
  switch (format) {
    case CorpusFormat::kBhiveFrequency:
      return read_number(field, entry.frequency);
    case CorpusFormat::kBhiveThroughput:
      return read_number(field, entry.reference_cycles);
    default:
      return read_text(field, entry.name);
  }
}

Checked read_entry(std::string_view text, CorpusFormat format, CorpusEntry& entry) {
  const Fields fields = split(text);
  if (Checked problem = problem_of_columns(fields, format)) return problem;
  if (Checked problem = read_block(fields.block, entry.bytes)) return problem;
  return fields.second ? read_second(*fields.second, format, entry) : std::nullopt;
}

}  // namespace

CorpusItem parse_corpus_line(std::string_view text, std::int64_t number, CorpusFormat format) {
  CorpusEntry entry;
  entry.line = number;
  if (const Checked problem = read_entry(text, format, entry)) {
    return bad_line(number, text, *problem);
  }
  return entry;
}

}  // namespace assay
