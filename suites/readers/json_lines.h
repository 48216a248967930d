#pragma once

#include <memory>
#include <string>

#include "suites/readers/line_parser.h"

namespace assay {

/// JSON lines: an object with a block as "hex" on each, and "name", "source", "weight" and "state"
/// where they are known (null counts as unknown). Other keys are passed over, whatever they hold;
/// none of these may come twice. An object with "format":"assay-corpus" describes the corpus and
/// gives no item; of another version than 1 it ends the reading with an InputError.
std::unique_ptr<LineParser> json_lines(const std::string& file);

}  // namespace assay
