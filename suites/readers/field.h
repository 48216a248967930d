#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "suites/readers/corpus_entry.h"

namespace assay {

/// A value in a line of a corpus.
struct Field {
  std::string_view text;
  std::size_t column = 0;  ///< where the text starts in the line, counted from 1
};

/// What is wrong with a line, and where.
struct Problem {
  std::size_t column = 0;  ///< counted from 1
  std::string text;
};
/// The result of a check: what is wrong, or nothing.
using Checked = std::optional<Problem>;

/// Reads a block: hexadecimal digits of either case, two a byte, of at least one byte.
Checked read_block(const Field& field, Bytes& target);
/// Reads a decimal number, finite and not negative.
Checked read_number(const Field& field, std::optional<double>& target);
/// Reads a text: UTF-8 without NUL characters, which would end the text where it is stored.
Checked read_text(const Field& field, std::string& target);

/// Reads an initial state of the block's own; `target` gets its canonical text
/// (profiler/codegen/state_text.h).
Checked read_state(const Field& field, std::string& target);

/// The item for a line with a problem: "column 4: TEXT, in "THE LINE"".
BadLine bad_line(std::int64_t number, std::string_view line, const Problem& problem);

}  // namespace assay
