#pragma once

#include <chrono>
#include <vector>

#include "harness/command_line.h"
#include "profiler/measurement/settings.h"

namespace assay {

/// Adds the options for the workers of a campaign: --jobs, --cpus and --stall-limit. (--cpu belongs
/// to run_options.h.)
void add_worker_options(CommandLine& line);

/// The processors that --jobs, --cpus or --cpu ask for, one for each worker. Throws UsageError for
/// what is not a number or list of numbers, for a processor that is named twice or may not be used,
/// and for more workers than there are processors for.
std::vector<int> worker_processors(const CommandLine::Values& values);

/// For how long a worker may give no sign of life: --stall-limit or, without it, a minute, or
/// longer if a block may take longer because of a large budget. Throws UsageError.
std::chrono::nanoseconds stall_limit(const CommandLine::Values& values, const Settings& settings);

}  // namespace assay
