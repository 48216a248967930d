#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "suites/filter/census.h"

namespace assay {

/// For people: a table of what the corpora hold, in lines of at most 80 characters.
std::string to_text(const Census& census);

/// The counts of docs/formats.md, "assay suite show --json".
nlohmann::ordered_json to_json(const Census& census);

}  // namespace assay
