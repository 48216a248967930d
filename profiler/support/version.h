#pragma once

#include <string_view>

namespace assay {

/// The version of assay, such as "0.1.0". Results of different versions are kept apart.
std::string_view program_version();

}  // namespace assay
