#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "profiler/counting/clock_choice.h"

namespace assay {

/// How the clock was chosen, as the object `clock_choice` of docs/formats.md.
nlohmann::ordered_json to_json(const ClockChoice& choice);

/// Why no better clock was chosen, for people: a line for each better one, which begins with
/// `margin`.
std::string why_not_better(const ClockChoice& choice, std::string_view margin);

}  // namespace assay
