#pragma once

#include <optional>
#include <string_view>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/event.h"

namespace assay {

/// Turns the events that users ask for into what the kernel counts, for one kind of core.
class EventEncoder {
 public:
  /// `pmu` is the PMU of the core that is used (find_core_pmu). If there is none, events are
  /// encoded all the same, by the layout that all CPUs of `vendor` (CPUID's name) share; no kernel
  /// will count them.
  EventEncoder(std::optional<CorePmu> pmu, std::string_view vendor);

  /// Accepts the kernel's terms (kernel_event.h), the names of the PMU's aliases ("mem-loads") and
  /// libpfm4's names (named_event.h), in this order. Throws InputError with the event, what is
  /// wrong with it and what there is instead.
  Event encode(const EventRequest& request) const;

 private:
  std::optional<CorePmu> pmu_;
  CorePmu layout_;  ///< *pmu_, or the vendor's common layout if there is no PMU
};

/// Whether the kernel counts the event, and not the CPU: it needs no counter, and RDPMC cannot read
/// it.
bool is_software(const Event& event);

}  // namespace assay
