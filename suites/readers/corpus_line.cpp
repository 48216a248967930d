#include "suites/readers/corpus_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <variant>

#include "profiler/block/blanks.h"
#include "profiler/block/clipped.h"

namespace assay {
namespace {

/// One comma-separated column without the blanks around it.
struct Field {
  std::string_view text;
  std::size_t column = 0;  ///< where the text starts in the line, counted from 1
};

/// A line's first two columns, and whatever comes after the second comma.
struct Fields {
  Field block;
  std::optional<Field> number;
  std::optional<Field> extra;
};

using Problem = std::optional<std::string>;

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
  if (begin <= line.size()) fields.number = take_field(line, begin);
  if (begin <= line.size()) fields.extra = take_field(line, begin);
  return fields;
}

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Problem problem_of_columns(const Fields& fields, CorpusFormat format) {
  if (columns(format) == 1 && fields.number) {
    return fmt::format("column {}: a second column, where the format {} has only {}",
                       fields.number->column, name(format), shape(format));
  }
  if (columns(format) == 2 && !fields.number) {
    return fmt::format("column {}: the second column is missing; the format {} has {}",
                       fields.block.column + fields.block.text.size(), name(format), shape(format));
  }
  if (fields.extra) {
    return fmt::format("column {}: a third column, where the format {} has only {}",
                       fields.extra->column, name(format), shape(format));
  }
  return std::nullopt;
}

Problem problem_of_block(const Field& field) {
  const auto [hex, column] = field;
  if (hex.empty()) return fmt::format("column {}: the block is empty", column);
  if (hex.starts_with("0x") || hex.starts_with("0X")) {
    return fmt::format("column {}: the block starts with 0x; write its digits alone", column);
  }
  const auto wrong = std::ranges::find_if_not(hex, is_hex_digit);
  if (wrong != hex.end()) {
    const std::size_t position = static_cast<std::size_t>(wrong - hex.begin());
    return fmt::format("column {}: {} is no hexadecimal digit", column + position,
                       clipped(hex.substr(position, 1)));
  }
  if (hex.size() % 2 != 0) {
    return fmt::format("column {}: an odd number of hexadecimal digits ({}); two make a byte",
                       column, hex.size());
  }
  return std::nullopt;
}

std::variant<double, std::string> parse_number(const Field& field) {
  const auto [text, column] = field;
  if (text.empty()) return fmt::format("column {}: the number is missing", column);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    return fmt::format("column {}: {} is no number", column, clipped(text));
  }
  if (error != std::errc() || !std::isfinite(value)) {
    return fmt::format("column {}: {} is no finite number", column, clipped(text));
  }
  if (value < 0) return fmt::format("column {}: {} is negative", column, clipped(text));
  return value;
}

/// Fills in what the second column says.
Problem read_number(const Field& field, CorpusFormat format, CorpusEntry& entry) {
  auto number = parse_number(field);
  if (auto* const problem = std::get_if<std::string>(&number)) return std::move(*problem);
  auto& target = format == CorpusFormat::kBhiveFrequency ? entry.frequency : entry.reference_cycles;
  target = std::get<double>(number);
  return std::nullopt;
}

Problem read_entry(std::string_view text, CorpusFormat format, CorpusEntry& entry) {
  const Fields fields = split(text);
  if (Problem problem = problem_of_columns(fields, format)) return problem;
  if (Problem problem = problem_of_block(fields.block)) return problem;
  entry.bytes = bytes_from_hex(fields.block.text);
  if (!fields.number) return std::nullopt;
  return read_number(*fields.number, format, entry);
}

}  // namespace

CorpusItem parse_corpus_line(std::string_view text, std::int64_t number, CorpusFormat format) {
  CorpusEntry entry;
  entry.line = number;
  if (const Problem problem = read_entry(text, format, entry)) {
    return BadLine{number, fmt::format("{}, in {}", *problem, clipped(trimmed(text)))};
  }
  return entry;
}

}  // namespace assay
