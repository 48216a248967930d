#pragma once

#include <filesystem>

#include "profiler/counters/backend.h"

namespace assay {

/// Why the kernel did not open an event in one of this user's processes, and the remedy. Judged by
/// the errno of perf_event_open(2) and by what the kernel's files say of the machine: whether it is
/// a VM, kernel.perf_event_paranoid, this process' capabilities, a container's filter of system
/// calls, lockdown. `in_kernel` says that the event is counted in the kernel, which takes more
/// rights. `root` is the folder that holds proc and sys.
Availability explain_perf_refusal(int error, bool in_kernel = false,
                                  const std::filesystem::path& root = "/");

/// Whether a subject's counters survive when it executes its program. In a set-user-ID or
/// set-group-ID program they do not: a process whose effective IDs are not its real ones is not
/// dumpable after execve(2), and the kernel closes the counters on it (fs/exec.c, begin_new_exec).
Availability counters_outlast_exec();

/// What to do if counters can be opened, but then do not count.
Availability explain_held_counters(const std::filesystem::path& root = "/");

}  // namespace assay
