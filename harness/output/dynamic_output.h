#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "suites/extract/dynamic/dynamic_run.h"

namespace assay {

/// What `assay extract --dynamic` did, as lines for a terminal, without the remarks.
std::string to_text(const DynamicResult& result);
/// What `assay extract --dynamic` did, as the object of docs/formats.md.
nlohmann::ordered_json to_json(const DynamicResult& result);

}  // namespace assay
