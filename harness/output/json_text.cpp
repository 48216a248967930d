#include "harness/output/json_text.h"

#include <nlohmann/json.hpp>

namespace assay {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace assay
