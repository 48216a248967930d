#pragma once

#include <string>

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say what is counted: --clock, --events, --validation.
void add_counter_options(CommandLine& line);

/// Puts what --events and --validation say into the settings, and leaves the clock as it is. Throws
/// UsageError for values that they do not have, and what read_events() throws.
void read_counter_options(const CommandLine::Values& values, Settings& settings);

/// The value of --clock: "auto" or one of backend_names(). Throws UsageError for anything else.
std::string wanted_clock(const CommandLine::Values& values);

}  // namespace assay
