#pragma once

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say what registers and memory hold before each run: --state, --reg, --mem,
/// --init-asm, --frames, --no-fallback-states.
void add_state_options(CommandLine& line);

/// Puts what they ask for into the settings; what they do not mention stays as the protocol has it
/// (default_settings() in fixed_protocol.h). Throws UsageError for what is no state, register,
/// number or usable init code, and EnvironmentError for --init-asm where there is no assembler.
void read_state_options(const CommandLine::Values& values, Settings& settings);

}  // namespace assay
