#pragma once

#include <optional>
#include <string>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/event.h"

namespace assay {

/// Encodes an event by the name that libpfm4 has for it: "EVENT:UMASK:c=1:i", "EVENT.UMASK",
/// "pmu::EVENT", or a name of the kernel's own events, "cycles", "perf::PAGE-FAULTS". The modifier
/// `u` changes nothing.
///
/// On a hybrid CPU (where `pmu` is one of several), a name without a PMU means the PMU of the core
/// that is used; the kernel's hardware events get the type of that PMU in the upper half of config
/// (PERF_PMU_TYPE_SHIFT); and an event of another kind of core is refused. If there is no PMU,
/// names are encoded all the same.
///
/// Throws InputError with the event, the part that is wrong, and what there is instead: near names,
/// unit masks, modifiers. Refuses what assay does not count: modes other than user mode, sampling,
/// and PMUs outside the core.
Event encode_named_event(const std::string& specification, const std::optional<CorePmu>& pmu);

}  // namespace assay
