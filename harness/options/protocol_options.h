#pragma once

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say by which protocol blocks are measured: --protocol, and for nanobench
/// --unroll, --loop, --warm-up, --runs, --aggregate.
void add_protocol_options(CommandLine& line);

/// The settings that the protocol begins with, for all other options to change. Throws UsageError
/// for what is no protocol, for numbers out of range, and for the others without nanobench.
Settings protocol_settings(const CommandLine::Values& values);

}  // namespace assay
