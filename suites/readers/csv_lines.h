#pragma once

#include <memory>
#include <string>

#include "suites/readers/line_parser.h"

namespace assay {

/// Comma-separated values (RFC 4180, but that no value goes on in another line): the first line
/// names the columns. "hex" or "hexCode" has the block, "weight" or "frequency" how often it was
/// seen, "name", "source" and "state" what they say; all others are passed over. An empty value
/// counts as unknown. A first line without a column for the block, or with two for one thing, ends
/// the reading with an InputError. `file` is for messages.
std::unique_ptr<LineParser> csv_lines(const std::string& file);

/// Whether a line is the first of such a corpus.
bool names_csv_columns(std::string_view line);

}  // namespace assay
