#pragma once

#include <optional>
#include <string>

#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "tests/fuzz/inputs.h"

namespace assay::fuzz {

/// What must hold of every measurement that ran through all stages, whatever the block: one
/// verdict, that of its reason; an estimate, finite, positive and as narrow as the settings ask
/// for, if it is measured, and none where nothing ran; what decode() says, repeated. Says what does
/// not hold, if anything.
std::optional<std::string> violation(const Input& input, const Settings& settings,
                                     const Measurement& measurement);

}  // namespace assay::fuzz
