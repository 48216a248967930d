#pragma once

#include <span>

#include "harness/command_line.h"
#include "profiler/counters/event.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Chooses the clock for --clock on this processor and puts it into the settings. Campaigns are
/// told apart by it, so that it is never "auto" there. Throws what wanted_clock(), choose_clock()
/// and check_events() throw.
ClockChoice settle_clock(const CommandLine::Values& values, int processor, Settings& settings);

/// Checks that the clock can count the events, if any are asked for. If it cannot, throws
/// EnvironmentError, which says why and what to do, if no clock that works here counts events, else
/// InputError.
void check_events(const ClockChoice& clock, std::span<const EventRequest> events);

}  // namespace assay
