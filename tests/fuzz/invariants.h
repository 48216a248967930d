#pragma once

#include <optional>
#include <string>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "tests/fuzz/inputs.h"

namespace assay::fuzz {

/// Checks what must hold for every measurement that went through all stages, whatever the block:
/// its verdict is that of its reason; it has an estimate that is finite, positive and as narrow as
/// the settings ask for if it is measured, and none if nothing ran; and a refusal of decode() is
/// its outcome. Returns what does not hold, if anything.
std::optional<std::string> violation(const Input& input, const Settings& settings,
                                     const Measurement& measurement);

}  // namespace assay::fuzz
