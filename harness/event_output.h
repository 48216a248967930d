#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "profiler/protocol/measurement.h"

namespace assay {

/// The array `events` of docs/formats.md.
nlohmann::ordered_json to_json(std::span<const EventCount> events);

/// For people, a line for each: how often it happened, and in which pass. Empty without any.
std::string to_text(std::span<const EventCount> events);

/// For those who ask how the counts came about: passes, cycles in them, overheads. Empty without
/// any.
std::string event_table(std::span<const EventCount> events);

}  // namespace assay
