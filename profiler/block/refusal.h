#pragma once

#include <optional>

#include "profiler/block/verdict.h"
#include "profiler/block/zydis.h"

namespace assay {

/// The rule of containment that the instruction breaks, if there is one; what it does is the
/// detail: "enters the operating system". `last`: it ends the block, where a direct jump may stand.
std::optional<Outcome> broken_rule(const Decoded& decoded, bool last);

}  // namespace assay
