#pragma once

#include "harness/command_line.h"
#include "profiler/protocol/settings.h"

namespace assay {

/// Adds the options that say how blocks are run: --cpu, --page-limit, --time-limit, --budget,
/// and those of the initial state (state_options.h).
void add_run_options(CommandLine& line);

/// The settings that they ask for. Throws UsageError for values out of range, and what
/// read_state_options() throws.
Settings run_settings(const CommandLine::Values& values);

/// The processor to run on: --cpu, or the last one that may be used, since the first ones get most
/// of a machine's interrupts.
int run_processor(const CommandLine::Values& values);

}  // namespace assay
