#pragma once

#include <span>
#include <string>

#include "profiler/measurement/measurement.h"

namespace assay {

/// For people, a line for each: how often it happened, and in which pass. Empty without any.
std::string to_text(std::span<const EventCount> events);

/// For those who ask how the counts came about: passes, cycles in them, overheads. Empty without
/// any.
std::string event_table(std::span<const EventCount> events);

}  // namespace assay
