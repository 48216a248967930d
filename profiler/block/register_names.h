#pragma once

#include <optional>
#include <string_view>

#include "profiler/block/block.h"

namespace assay {

/// The name of all 64 bits, in lower case: "rax", "r8".
std::string_view name(GeneralRegister reg);
/// The register of that name; nothing if there is none, as for the names of parts ("eax").
std::optional<GeneralRegister> general_register_named(std::string_view name);

}  // namespace assay
