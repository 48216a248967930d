#pragma once

#include <memory>
#include <string>

#include "suites/readers/line_parser.h"

namespace assay {

/// Parses comma-separated values (RFC 4180, except that a value may not contain a line break). The
/// first line names the columns: "hex" or "hexCode" holds the block, "weight" or "frequency" how
/// often it was seen, "name", "source" and "state" what their names say; all others are passed
/// over. An empty value counts as unknown. A first line that has no column for the block, or two
/// columns for the same field, ends the reading with an InputError. `file` is for messages.
std::unique_ptr<LineParser> csv_lines(const std::string& file);

/// Whether a line names the columns of comma-separated values, one of them for the block.
bool names_csv_columns(std::string_view line);

}  // namespace assay
