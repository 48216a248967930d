#pragma once

#include <span>
#include <string>

#include "profiler/measurement/measurement.h"

namespace assay {

/// Event counts for people, a line for each: how often the event happened, and in which pass it was
/// counted. Empty without events.
std::string to_text(std::span<const EventCount> events);

/// A table of how the counts came about, for --explain: passes, cycles in them, overheads. Empty
/// without events.
std::string event_table(std::span<const EventCount> events);

}  // namespace assay
