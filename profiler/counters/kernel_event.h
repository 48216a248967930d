#pragma once

#include <optional>
#include <string_view>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/event.h"

namespace assay {

/// Encodes an event in the kernel's terms, in one of the forms that perf accepts:
/// - "r1c0": the whole of config, in hexadecimal; ":u" may follow;
/// - "cpu/event=0xc0,umask=0x1,inv,name=X/": fields of the PMU, each with a number (decimal or 0x
///   hexadecimal; 1 if there is none); its aliases ("cpu/instructions,cmask=1/"); config, config1
///   and config2 as a whole; and the event's name. "u" may follow the last slash.
/// The PMU of the core that is used may be called "cpu" or by its own name.
///
/// Returns nothing if the text has neither form. The event's name is empty if the text has none.
/// Throws InputError for a PMU, field or number that does not exist, for a value that does not fit
/// its field, for bits that two parts set, and for bits of config that belong to no field: the
/// kernel would drop them silently.
std::optional<Event> encode_kernel_event(std::string_view specification, const CorePmu& pmu);

}  // namespace assay
