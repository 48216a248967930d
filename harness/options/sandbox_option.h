#pragma once

#include <string_view>

#include "harness/command_line.h"

namespace assay {

/// Adds --sandbox.
void add_sandbox_option(CommandLine& line);

/// With --sandbox, says on standard error what confines blocks here. Throws EnvironmentError, which
/// names what is missing, unless everything is in force that docs/security.md promises, and what
/// Subject's constructor throws. Without the option, does nothing.
void check_sandbox(const CommandLine::Values& values, std::string_view command);

}  // namespace assay
