#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "profiler/cores/core_groups.h"

namespace assay {

/// The object `cores` of docs/formats.md.
nlohmann::ordered_json to_json(const CoreGroups& cores);

/// One line: which processors disturb each other and which do not, with the weakest evidence for
/// either.
std::string to_text(const CoreGroups& cores);

}  // namespace assay
