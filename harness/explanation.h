#pragma once

#include <span>
#include <string>

#include "profiler/protocol/profiler.h"

namespace assay {

/// For people: what was tried, series by series, and why it ended as it did.
std::string explain(std::span<const Attempt> attempts, const Settings& settings);

}  // namespace assay
