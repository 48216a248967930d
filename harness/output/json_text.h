#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace assay {

/// Of every JSON object that a command writes: on one line, without a line feed. Names of files may
/// be no UTF-8; what is none of it in them becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace assay
