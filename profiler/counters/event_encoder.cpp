#include "profiler/counters/event_encoder.h"

#include <linux/perf_event.h>

#include <string>
#include <utility>

#include "profiler/counters/kernel_event.h"
#include "profiler/counters/named_event.h"
#include "profiler/support/error.h"

namespace assay {

EventEncoder::EventEncoder(std::optional<CorePmu> pmu, std::string_view vendor)
    : pmu_(std::move(pmu)), layout_(pmu_ ? *pmu_ : architectural_core_pmu(vendor)) {}

Event EventEncoder::encode(const EventRequest& request) const {
  const std::string& specification = request.specification;
  if (specification.empty()) throw InputError("an event without a name");
  // The kernel's own description of an alias takes precedence over libpfm's tables.
  const std::string terms =
      layout_.events.contains(specification) ? "cpu/" + specification + "/" : specification;
  std::optional<Event> event = encode_kernel_event(terms, layout_);
  if (!event) event = encode_named_event(specification, pmu_);
  // A name that a file gives is the user's own and stays. Otherwise the request is named by its
  // specification, and a name inside the specification takes its place.
  if (event->name.empty() || request.name != specification) event->name = request.name;
  event->alone = request.alone;
  return *event;
}

bool is_software(const Event& event) {
  return event.type == PERF_TYPE_SOFTWARE || event.type == PERF_TYPE_TRACEPOINT;
}

}  // namespace assay
