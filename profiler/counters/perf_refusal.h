#pragma once

#include <filesystem>

#include "profiler/counters/backend.h"

namespace assay {

/// Why the kernel did not open an event in a process of this user's, and the way out, from the
/// errno of perf_event_open(2) and from what the machine says of itself in the kernel's files:
/// whether it is a VM, kernel.perf_event_paranoid, this process' capabilities, a container's filter
/// of system calls, lockdown. `in_kernel`: the event is counted in the kernel, for which more
/// rights are needed. `root`: where the files are.
Availability explain_perf_refusal(int error, bool in_kernel = false,
                                  const std::filesystem::path& root = "/");

/// Whether counters of a subject stay when it executes its program. In a set-user-ID or
/// set-group-ID program they do not: a process whose effective IDs are not its real ones is not
/// dumpable after execve(2), and the kernel ends what counts it (fs/exec.c, begin_new_exec).
Availability counters_outlast_exec();

/// What to do where counters open, and then do not count.
Availability explain_held_counters(const std::filesystem::path& root = "/");

}  // namespace assay
