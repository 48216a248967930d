#pragma once

#include "harness/command_line.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say what is counted: --clock, --events, --validation.
void add_counter_options(CommandLine& line);

/// Puts what --events and --validation say into the settings, and leaves the clock as it is. Throws
/// UsageError for values that they do not have, and what read_events() throws.
void read_counter_options(const CommandLine::Values& values, Settings& settings);

/// The value of --clock: "auto" or one of backend_names(). Throws UsageError for anything else.
std::string wanted_clock(const CommandLine::Values& values);

/// Chooses the clock for --clock on this processor and puts it into the settings. Campaigns are
/// told apart by it, so that it is never "auto" there. Throws what wanted_clock(), choose_clock()
/// and check_events() throw.
ClockChoice settle_clock(const CommandLine::Values& values, int processor, Settings& settings);

/// Checks that the clock can count the events, if any are asked for. If it cannot, throws
/// EnvironmentError, which says why and what to do, if no clock that works here counts events, else
/// InputError.
void check_events(const ClockChoice& clock, std::span<const EventRequest> events);

}  // namespace assay
