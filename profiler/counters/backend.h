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

/// Whether a backend can be used on this machine.
struct Availability {
  bool works = false;
  std::string why;     ///< why it does not work, or what it can do only in part; else empty
  std::string remedy;  ///< what the user can do about that; empty if nothing is known to help
};

/// The reason and the remedy in one text.
std::string describe(const Availability& refusal);

/// Where readings come from: the clock of a measurement, and the events that are counted beside it.
class CounterBackend {
 public:
  virtual ~CounterBackend() = default;

  virtual std::string_view name() const = 0;
  /// Tries the backend on the processor that the calling thread is pinned to.
  virtual Availability probe(int processor) = 0;
  /// The unit in which the clock counts. Throws EnvironmentError if that clock does not exist here.
  virtual Clock clock() { return {Ticks(1), CyclesPerTick(1)}; }
  /// The events with which the backend's counters are tested: instructions retired and branches
  /// retired, as the backend names them. None if it counts no events.
  virtual std::vector<EventRequest> test_events() const { return {}; }

  /// Opens counters for a process that is stopped and will run on `processor` only. The first group
  /// is the clock and nothing else. Each other group counts core cycles and some of the events;
  /// there are as many groups as it takes to count all events, in the order in which they are asked
  /// for. Throws InputError for an event that does not exist here, or for any event if the backend
  /// counts none, and EnvironmentError, with what failed and the remedy, if the system does not let
  /// it count.
  virtual std::vector<std::unique_ptr<CounterGroup>> open(pid_t process, int processor,
                                                          std::span<const EventRequest> events) = 0;
  /// Whether both requests count the same, whatever they are called, on the processor of the last
  /// probe() or open(). Throws InputError for an event that does not exist here.
  virtual bool same_event(const EventRequest& one, const EventRequest& other) const {
    return one.specification == other.specification;
  }
};

/// The names of the backends, best first: "perf", "papi", "tsc" and "module".
std::span<const std::string_view> backend_names();

/// Makes the backend with that name. Throws InputError if there is none.
std::unique_ptr<CounterBackend> backend_named(std::string_view name);

}  // namespace assay
