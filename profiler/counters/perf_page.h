#pragma once

#include <linux/perf_event.h>

#include "profiler/counters/perf_system.h"

namespace assay {

/// Whether a process that maps this page of an event may read the event by RDPMC while the page's
/// `index` is not 0 (RDPMC takes `index` - 1 then), and gets all of the low 32 bits, which
/// generated kernels use (codegen/readings.h). linux/perf_event.h explains the bits. Linux before
/// 3.12, where two of the bits had the same position, counts as not allowing it. Linux allows it
/// only for events that a counter of the CPU counts (arch/x86/events/core.c,
/// arch_perf_update_userpage).
bool rdpmc_allowed(const perf_event_mmap_page& page);

/// Maps the page of an event's descriptor for a moment to find out whether RDPMC is allowed; false
/// if the page cannot be mapped. Throws EnvironmentError, with the remedy, if it cannot be mapped
/// because no memory is left for that.
bool rdpmc_allowed(PerfSystem& system, int descriptor);

}  // namespace assay
