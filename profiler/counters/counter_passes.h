#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <span>
#include <vector>

#include "profiler/support/error.h"

namespace assay {

/// Limits on the groups of events of a measurement.
struct PassLimits {
  std::size_t pass = 16;  ///< events in one group, core cycles included; at least 2
  std::size_t all = 240;  ///< events in all groups together
};

/// Distributes events, in their order, over as few groups as it takes; each group begins with
/// `cycles`. How many events fit is found by trying, since the counters' rules differ from CPU to
/// CPU, and counters that others hold matter too. An event that must be counted alone has a group
/// of its own. `fits` says whether a group can be counted. `require` is called with the smallest
/// group of an event, and throws if even that cannot be counted. Throws InputError for too many
/// events.
template <typename AnEvent, typename Fits, typename Require>
std::vector<std::vector<AnEvent>> share_out(const AnEvent& cycles, std::span<const AnEvent> events,
                                            const PassLimits& limits, const Fits& fits,
                                            const Require& require) {
  std::vector<std::vector<AnEvent>> passes;
  std::size_t all = 1;  // the clock, which is a group of core cycles alone
  for (const AnEvent& event : events) {
    const bool may_join = !passes.empty() && !event.alone && !passes.back().back().alone &&
                          passes.back().size() < limits.pass;
    if (may_join) {
      passes.back().push_back(event);
      if (fits(passes.back())) {
        all += 1;
        continue;
      }
      passes.back().pop_back();
    }
    passes.push_back({cycles, event});
    require(passes.back());
    all += 2;
  }
  if (all > limits.all) {
    throw InputError(
        fmt::format("too many events: with core cycles in each of {} passes they take {} counters, "
                    "and {} can be opened: ask for fewer",
                    passes.size(), all, limits.all));
  }
  return passes;
}

}  // namespace assay
