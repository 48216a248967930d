#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "suites/filter/census.h"

namespace assay {

/// Tables of what the corpora hold, for people, in lines of at most 80 characters.
std::string to_text(const Census& census);

/// The counts as docs/formats.md describes them for `assay suite show --json`.
nlohmann::ordered_json to_json(const Census& census);

}  // namespace assay
