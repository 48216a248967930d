#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "profiler/protocol/attempt.h"

namespace assay {

/// What was tried on the block, for people: series by series, what its first copy accessed, and why
/// it ended as it did. Long tables are cut in their middle.
std::string explain(std::span<const Attempt> attempts, const Block& block,
                    const Settings& settings);

/// What was tried on the block, for programs and without cuts: the array `attempts` of
/// docs/formats.md.
nlohmann::ordered_json attempts_json(std::span<const Attempt> attempts, const Block& block);

}  // namespace assay
