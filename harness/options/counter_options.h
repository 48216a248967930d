#pragma once

#include "harness/command_line.h"
#include "profiler/counting/clock_choice.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say what is counted: --clock, --events, --validation.
void add_counter_options(CommandLine& line);

/// Puts the events and the validation that they ask for into the settings, and leaves the clock as
/// it is. Throws UsageError for what is no value of theirs, and what read_events() throws.
void read_counter_options(const CommandLine::Values& values, Settings& settings);

/// --clock as it was given: "auto" or one of backend_names(). Throws UsageError for what is
/// neither.
std::string wanted_clock(const CommandLine::Values& values);

/// Puts the clock that --clock comes to on this processor into the settings, by which campaigns
/// are told apart: never "auto". Throws what check_events() throws, and
/// what wanted_clock() and choose_clock() throw.
ClockChoice settle_clock(const CommandLine::Values& values, int processor, Settings& settings);

/// Throws InputError, or EnvironmentError if no clock that can be used here counts any, which says
/// why not and what to do, if events are asked for of a clock that
/// counts none.
void check_events(const ClockChoice& clock, std::span<const EventRequest> events);

}  // namespace assay
