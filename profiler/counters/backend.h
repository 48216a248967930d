#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/counters/clock.h"
#include "profiler/counters/counter_group.h"
#include "profiler/counters/event.h"

namespace assay {

/// Whether a backend can be used here.
struct Availability {
  bool works = false;
  std::string why;     ///< why it does not, or what it can do only in part; else empty
  std::string remedy;  ///< what the user can do about that; empty if nothing
};

/// Why not and the way out, in one text.
std::string describe(const Availability& refusal);

/// Where readings come from: the clock of a measurement, and events beside it.
class CounterBackend {
 public:
  virtual ~CounterBackend() = default;

  virtual std::string_view name() const = 0;
  /// Tries it on the processor that the calling thread is pinned to.
  virtual Availability probe(int processor) = 0;
  /// What the readings of the clock are counted in. Throws EnvironmentError when there is no such
  /// clock here.
  virtual Clock clock() { return {Ticks(1), CyclesPerTick(1)}; }
  /// Instructions retired, and branches retired, as the backend names them: what a test of its
  /// counters counts. None if it counts no events.
  virtual std::vector<EventRequest> test_events() const { return {}; }

  /// Opens counters for a process that is stopped and will run on `processor` only. The first group
  /// is the clock and nothing else; each of the others counts core cycles and some of the events:
  /// as many groups as it takes to count them all, in the order in which they are asked for.
  /// Throws InputError for an event that does not exist here, or any event if the backend
  /// counts none, and EnvironmentError with what failed and the way out when the system does not
  /// let it count.
  virtual std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                          std::span<const EventRequest> events) = 0;
  /// Whether both ask for the same counts, whatever they are called, on the processor of the last
  /// probe() or open(). Throws InputError for an event that does not exist here.
  virtual bool same_event(const EventRequest& one, const EventRequest& other) const {
    return one.specification == other.specification;
  }
};

/// "perf", "papi", "tsc" and "module", the best first.
std::span<const std::string_view> backend_names();

/// Throws InputError for a name that is not among them.
std::unique_ptr<CounterBackend> backend_named(std::string_view name);

}  // namespace assay
