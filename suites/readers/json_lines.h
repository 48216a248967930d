#pragma once

#include <memory>
#include <string>

#include "suites/readers/line_parser.h"

namespace assay {

/// Parses JSON lines. Each line is an object with a block as "hex", and "name", "source", "weight"
/// and "state" where they are known (null counts as unknown); none of these keys may come twice.
/// Other keys are passed over, whatever they hold. An object with "format":"assay-corpus" describes
/// the corpus and gives no item; if its version is not 1, reading ends with an InputError.
std::unique_ptr<LineParser> json_lines(const std::string& file);

}  // namespace assay
