#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "profiler/counters/counter_passes.h"
#include "profiler/counters/event.h"
#include "profiler/counters/perf_system.h"

namespace assay {

/// Events that are counted together, the first of them core cycles.
using PerfPass = std::vector<Event>;

/// Shares events out among groups that the kernel really counts, by trying each on the calling
/// thread (share_out). Throws InputError for an event that this CPU does not count, and for too
/// many of them; EnvironmentError, with the way out, where the system does not let one be counted.
/// `root`: where the kernel's files are.
std::vector<PerfPass> find_perf_passes(PerfSystem& system, const Event& cycles,
                                       std::span<const Event> events, const PassLimits& limits,
                                       const std::filesystem::path& root = "/");

}  // namespace assay
