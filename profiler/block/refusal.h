#pragma once

#include <optional>

#include "profiler/block/verdict.h"
#include "profiler/block/zydis.h"

namespace assay {

/// The rule of containment that the instruction breaks, if there is one; the detail says what the
/// instruction does: "enters the operating system". `last` says that the instruction ends the
/// block, where a direct jump is allowed.
std::optional<Outcome> broken_rule(const Decoded& decoded, bool last);

}  // namespace assay
