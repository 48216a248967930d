#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/perf_group.h"

namespace assay {

/// What came of counting events together for a moment.
struct PerfTrial {
  std::optional<PerfOpenFailure> failure;  ///< set if one of them was not opened
  std::string lost;  ///< why they were not in counters all of the time, in words; else empty
  // If neither of the above is set:
  ReadMethod method = ReadMethod::kAround;
  std::vector<std::uint64_t> counts;  ///< one for each event

  bool counted() const { return !failure && lost.empty(); }
};

/// Executes some ten thousand instructions.
void keep_busy();

/// Counts the calling thread while it is kept busy. A group that was opened may still never be in
/// counters, since the kernel does not look then at what others hold, such as its own NMI watchdog.
/// Throws EnvironmentError if the kernel's interface itself fails.
PerfTrial try_counting(PerfSystem& system, std::span<const Event> events);

}  // namespace assay
