#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "profiler/subject/layout.h"
#include "profiler/subject/shared_memory.h"

namespace assay::subject {

/// Opens hardware counters for a process that waits to become the subject, and that has not
/// executed anything yet that should be counted. Returns descriptors of the counters' pages, at
/// most kMaxCounterPages, in the order in which the pages are to lie in the subject; the callee
/// keeps owning them. May throw.
using OpenCounters = std::function<std::vector<int>(pid_t)>;

/// A program that is ready.
struct LaunchedProgram {
  pid_t pid = -1;
  SystemCallKey key{};  ///< what its system calls need: nobody else knows it
};

/// Starts the subject's program as a traced child of the calling thread, which becomes its monitor:
/// only that thread may wait for it or trace it. The child is on the processor that the thread is
/// pinned to, in a session of its own (no terminal signal reaches it), without any descriptors but
/// those in layout.h, and dies with the monitor, whatever ends that. Returns when the program has
/// reported that it is ready and is stopped. `open_counters` may be empty. Throws EnvironmentError
/// with the step that failed and the remedy, or what `open_counters` throws; no child is left then.
LaunchedProgram launch_program(const SharedMemory& memory, const OpenCounters& open_counters);

}  // namespace assay::subject
