#pragma once

#include <optional>
#include <string_view>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/event.h"

namespace assay {

/// An event in the kernel's terms, as perf takes them:
/// - "r1c0": the whole of config, hexadecimal; ":u" may stand behind it;
/// - "cpu/event=0xc0,umask=0x1,inv,name=X/": the PMU's fields, each with a number (decimal or 0x
///   hexadecimal; 1 where there is none), its aliases ("cpu/instructions,cmask=1/"), config,
///   config1 and config2 as a whole, and the event's name; "u" may stand behind the last slash.
/// "cpu" is the PMU of the core that is used, and so is that PMU's own name.
///
/// Nothing if it is neither of them. The name is empty if there is none in it. Throws InputError
/// for what is no such PMU, field or number, for a value that does not fit its field, for bits that
/// two parts set, and for bits of config that are in no field: the kernel would drop them silently.
std::optional<Event> encode_kernel_event(std::string_view specification, const CorePmu& pmu);

}  // namespace assay
