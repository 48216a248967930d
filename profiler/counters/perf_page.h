#pragma once

#include <linux/perf_event.h>

#include "profiler/counters/perf_system.h"

namespace assay {

/// Whether a process that maps this page of an event may read the event by RDPMC while the page's
/// `index` is not 0 (it then takes `index` - 1), and gets all of the low 32 bits, which kernels use
/// (codegen/readings.h). The bits are those that linux/perf_event.h explains; kernels before 3.12,
/// which gave two of them one place, count as not allowing it. A kernel says it of nothing but
/// events that a counter of the CPU counts (arch/x86/events/core.c, arch_perf_update_userpage).
bool rdpmc_allowed(const perf_event_mmap_page& page);

/// Maps the page of an event's descriptor for a moment, and asks that; false if it is nothing that
/// can be mapped. Throws EnvironmentError, with the way out, if there is no memory left to map it.
bool rdpmc_allowed(PerfSystem& system, int descriptor);

}  // namespace assay
