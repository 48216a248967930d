#pragma once

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options that say by which protocol blocks are measured: --protocol, and --unroll,
/// --loop, --warm-up, --runs and --aggregate for nanobench.
void add_protocol_options(CommandLine& line);

/// The settings that the protocol begins with, before other options change them. Throws UsageError
/// for a name that no protocol has, for numbers out of range, and for nanobench's options with
/// another protocol.
Settings protocol_settings(const CommandLine::Values& values);

}  // namespace assay
