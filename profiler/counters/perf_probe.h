#pragma once

#include <string>

namespace assay {

/// Whether the kernel gives user programs the processor's own cycle counter.
struct PerfProbe {
  bool works = false;
  std::string why;     ///< why it does not; empty if it does
  std::string remedy;  ///< what the user can do about that; empty if nothing
};

/// Tries to open and read one counter of core cycles (perf_event_open).
PerfProbe probe_perf();

/// What an errno of perf_event_open means, and the way out. See perf_event_open(2), "ERRORS".
PerfProbe explain_perf_error(int error);

}  // namespace assay
