#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "profiler/counters/event.h"

namespace assay {

/// Reads an event as nanoBench's configuration files write it (its README, "Performance Counter
/// Config Files", and parse_counter_configs in common/nanoBench.c), without comments:
///
///     EvtSel.UMASK(.CMSK=...)(.AnyT)(.EDG)(.INV)(.TakenAlone)(.CTR=...)(.MSR_...=...) Name
///
/// | part | becomes |
/// |---|---|
/// | EvtSel, UMASK (hexadecimal; three digits of AMD's event) | event=0x.., umask=0x.. |
/// | CMSK=N, AnyT, EDG, INV | cmask=N, any=1, edge=1, inv=1 |
/// | TakenAlone | `alone` |
/// | CTR=N | nothing: the kernel knows which counters can count an event, and chooses one |
/// | MSR_3F6=N, MSR_3F6H=N (load latency) | ldlat=N |
/// | MSR_PF=N (IA32_PEBS_FRONTEND) | frontend=N |
/// | MSR_RSP0=N, MSR_RSP1=N (off-core response) | offcore_rsp=N: the kernel chooses the MSR |
/// | Name | the name, all of it up to the line's end; the first word if there is none |
///
/// Numbers are decimal, or hexadecimal with 0x; an MSR value of 0 is ignored, as by nanoBench. The
/// result is in the kernel's form, "cpu/event=0xc0,umask=0x00/": whether this CPU's PMU has these
/// fields shows only when the event is encoded.
///
/// Returns nothing if the text does not begin with two or three hexadecimal digits, a point and two
/// more digits. Throws InputError, with the part, for a part that is not in the table, for one that
/// is there twice, and for a number that is not one: nanoBench silently ignores such parts.
std::optional<EventRequest> parse_nanobench_event(std::string_view line);

}  // namespace assay
