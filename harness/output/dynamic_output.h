#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "suites/extract/dynamic_run.h"

namespace assay {

/// What `assay extract --dynamic` did: lines for a terminal, without the remarks.
std::string to_text(const DynamicResult& result);
/// docs/formats.md, "What was extracted".
nlohmann::ordered_json to_json(const DynamicResult& result);

}  // namespace assay
