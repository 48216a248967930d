#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace assay {

/// The text of a JSON object, on one line and without a line feed, for all objects that commands
/// write. Texts such as file names may not be valid UTF-8; their invalid bytes become U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace assay
