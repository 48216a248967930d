#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace assay {

/// Of every JSON object that a command writes: on one line, without a line feed. Names of files may
/// be no UTF-8; what is none of it in them becomes U+FFFD.
template <typename Json>
std::string json_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace assay
