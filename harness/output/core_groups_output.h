#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "profiler/cores/core_groups.h"

namespace assay {

/// The groups as the object `cores` of docs/formats.md.
nlohmann::ordered_json to_json(const CoreGroups& cores);

/// The groups in one line: which processors disturb each other and which do not, with the weakest
/// evidence for each.
std::string to_text(const CoreGroups& cores);

}  // namespace assay
