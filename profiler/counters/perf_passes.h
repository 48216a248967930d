#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "profiler/counters/counter_passes.h"
#include "profiler/counters/event.h"
#include "profiler/counters/perf_system.h"

namespace assay {

/// Events that are counted together; the first is core cycles.
using PerfPass = std::vector<Event>;

/// Distributes events over groups that the kernel really counts, by trying each group on the
/// calling thread (share_out). Throws InputError for an event that this CPU does not count, and for
/// too many events; EnvironmentError, with the remedy, if the system does not let an event be
/// counted. `root` is the folder that holds proc and sys.
std::vector<PerfPass> find_perf_passes(PerfSystem& system, const Event& cycles,
                                       std::span<const Event> events, const PassLimits& limits,
                                       const std::filesystem::path& root = "/");

}  // namespace assay
