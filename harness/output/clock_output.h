#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "profiler/counting/clock_choice.h"

namespace assay {

/// Those that were tried before the clock that was chosen, the best first.
std::span<const ClockChoice::Tried> better_clocks(const ClockChoice& choice);

/// The object `clock_choice` of docs/formats.md.
nlohmann::ordered_json to_json(const ClockChoice& choice);

/// For people, why not a better one: a line for each, which begins with `margin`.
std::string why_not_better(const ClockChoice& choice, std::string_view margin);

}  // namespace assay
