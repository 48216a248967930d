#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/perf_group.h"

namespace assay {

/// What became of counting events together for a moment.
struct PerfTrial {
  std::optional<PerfOpenFailure> failure;  ///< one of them was not opened
  std::string lost;  ///< they were opened, but not in counters all of the time: in words
  // Unless either:
  ReadMethod method = ReadMethod::kAround;
  std::vector<std::uint64_t> counts;  ///< of each event

  bool counted() const { return !failure && lost.empty(); }
};

/// Runs some ten thousand instructions.
void keep_busy();

/// Counts the calling thread while it is kept busy: that a group was opened does
/// not mean that it will ever be in counters, since the kernel does not look at what others hold,
/// such as its own NMI watchdog. Throws EnvironmentError if the kernel's interface itself fails.
PerfTrial try_counting(PerfSystem& system, std::span<const Event> events);

}  // namespace assay
