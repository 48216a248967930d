#include "suites/readers/field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

#include "profiler/codegen/state_text.h"
#include "profiler/support/blanks.h"
#include "profiler/support/clipped.h"
#include "profiler/support/error.h"
#include "suites/readers/utf8.h"

namespace assay {
namespace {

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

Checked problem_of_block(const Field& field) {
  const auto [hex, column] = field;
  if (hex.empty()) return Problem{column, "the block is empty"};
  if (hex.starts_with("0x") || hex.starts_with("0X")) {
    return Problem{column, "the block starts with 0x; write its digits alone"};
  }
  const auto wrong = std::ranges::find_if_not(hex, is_hex_digit);
  if (wrong != hex.end()) {
    const std::size_t position = static_cast<std::size_t>(wrong - hex.begin());
    return Problem{column + position,
                   clipped(hex.substr(position, 1)) + " is no hexadecimal digit"};
  }
  if (hex.size() % 2 != 0) {
    return Problem{column, fmt::format("an odd number of hexadecimal digits ({}); two make a byte",
                                       hex.size())};
  }
  return std::nullopt;
}

}  // namespace

Checked read_block(const Field& field, Bytes& target) {
  if (Checked problem = problem_of_block(field)) return problem;
  target = bytes_from_hex(field.text);
  return std::nullopt;
}

Checked read_number(const Field& field, std::optional<double>& target) {
  const auto [text, column] = field;
  if (text.empty()) return Problem{column, "the number is missing"};
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) {
    return Problem{column, clipped(text) + " is no number"};
  }
  if (error != std::errc() || !std::isfinite(value)) {
    return Problem{column, clipped(text) + " is no finite number"};
  }
  if (value < 0) return Problem{column, clipped(text) + " is negative"};
  target = value;
  return std::nullopt;
}

Checked read_text(const Field& field, std::string& target) {
  const auto [text, column] = field;
  const std::size_t length = utf8_length(text);
  if (length < text.size()) {
    return Problem{column + length, clipped(text.substr(length, 1)) + " is no UTF-8"};
  }
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) {
    return Problem{column + nul, "a NUL character"};
  }
  target = text;
  return std::nullopt;
}

Checked read_state(const Field& field, std::string& target) {
  try {
    target = to_text(state_request_from(field.text));
    return std::nullopt;
  } catch (const InputError& error) {
    return Problem{field.column, error.what()};
  }
}

BadLine bad_line(std::int64_t number, std::string_view line, const Problem& problem) {
  return {number, fmt::format("column {}: {}, in {}", problem.column, problem.text,
                              clipped(trimmed(line)))};
}

}  // namespace assay
