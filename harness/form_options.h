#pragma once

#include "harness/command_line.h"
#include "suites/generate/form_filter.h"

namespace assay {

/// Adds the options that choose instruction forms: --filter, --extension, --all-cpus.
void add_form_options(CommandLine& line);

/// What they say, for this machine.
FormFilter form_filter_from(const CommandLine::Values& values);

}  // namespace assay
