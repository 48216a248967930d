#pragma once

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say what registers and memory hold before each run: --state, --reg, --mem,
/// --init-asm, --frames, --no-fallback-states.
void add_state_options(CommandLine& line);

/// Puts what these options ask for into the settings; what they do not mention stays as the
/// protocol has it (default_settings()). Throws UsageError for unknown states and registers, for
/// what is not a number, and for init code that cannot be used, and EnvironmentError for --init-asm
/// if this build has no assembler.
void read_state_options(const CommandLine::Values& values, Settings& settings);

}  // namespace assay
