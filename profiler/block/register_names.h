#pragma once

#include <optional>
#include <string_view>

#include "profiler/block/block.h"
#include "profiler/support/named.h"

namespace assay {

/// The name of the whole 64-bit register, in lower case: "rax", "r8".
std::string_view name(GeneralRegister reg);
/// The register with that name; nothing if there is none. Names of parts ("eax") are not accepted.
template <>
std::optional<GeneralRegister> named<GeneralRegister>(std::string_view name);

}  // namespace assay
