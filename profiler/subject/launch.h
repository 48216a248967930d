#pragma once

#include <sys/types.h>

#include "profiler/subject/shared_memory.h"

namespace assay::subject {

/// Starts the subject's program as a traced child of the calling thread, which becomes its monitor:
/// only that thread may wait for it or trace it. The child is on the processor that the thread is
/// pinned to, in a session of its own (no terminal signal reaches it), without any descriptor but
/// the two of layout.h, and dies with the monitor, whatever ends that. Returns when the program has
/// reported that it is ready and is stopped. Throws EnvironmentError with the step that failed and
/// the way out; no child is left then.
pid_t launch_program(const SharedMemory& memory);

}  // namespace assay::subject
