#pragma once

#include <optional>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/support/named.h"

namespace assay {

/// The name of all 64 bits, in lower case: "rax", "r8".
std::string_view name(GeneralRegister reg);
/// The register of that name; nothing if there is none, as for the names of parts ("eax").
template <>
std::optional<GeneralRegister> named<GeneralRegister>(std::string_view name);

}  // namespace assay
