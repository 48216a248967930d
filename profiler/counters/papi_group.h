#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/counter_group.h"
#include "profiler/counters/event.h"

namespace assay {

// All that knows papi.h. PAPI is initialised when first needed, which takes some 2 ms, and never
// shut down: it shares libpfm4 with this program. It then installs no signal handler and writes
// nothing. Its errors are thrown in its own words (PAPI_strerror), never as numbers.

/// Whether PAPI and its component perf_event can be used at all: they cannot on a CPU that is newer
/// than PAPI's libpfm4, where the names of events mean nothing to it, not even the kernel's.
bool papi_starts();

/// Whether PAPI has an event of that name on this CPU: a preset or a native event of its component
/// perf_event. Whether the machine counts it is another question. Throws EnvironmentError if PAPI
/// or that component cannot be used, with PAPI's reason.
bool papi_has(const std::string& event);

/// Counters of PAPI's component perf_event, in one event set, user mode only.
///
/// What tells that they counted all the time: PAPI opens a set that is not multiplexed, and these
/// never are, as one group of perf_event_open with a pinned leader. The kernel counts such a group
/// whenever the process runs, or, once it cannot, puts it into an error state in which reading
/// gives nothing; PAPI then fails (PAPI_ESYS), and stop() throws. So it is in PAPI 7.0.0 (function
/// open_pe_events of perf_event.c, and its system calls, which were watched); PAPI itself neither
/// promises it nor gives the times enabled and running, so that a PAPI that stopped to pin its
/// groups would not be noticed here. Of a hybrid CPU's other kind of core the kernel counts
/// nothing, without an error: a first counter that stands still is therefore an error too.
class PapiGroup : public CounterGroup {
 public:
  /// The events together, the first of which must be one that any running process has. `process`
  /// is stopped; if there is none, the calling thread is counted. The names of the events are used
  /// as they are: assay's rules for what is counted are the caller's to check. Throws
  /// EnvironmentError, with the event and PAPI's words, if PAPI does not count them together, but
  /// InputError if it does not know the second of them, or does not count it beside the first, for
  /// no reason that lies in the system.
  PapiGroup(std::span<const EventRequest> events, std::optional<pid_t> process);
  ~PapiGroup() override;
  PapiGroup(const PapiGroup&) = delete;
  PapiGroup& operator=(const PapiGroup&) = delete;

  ReadMethod method() const override { return ReadMethod::kAround; }
  std::span<const std::string> names() const override { return names_; }
  void start() override;
  std::vector<std::uint64_t> stop() override;

 private:
  void add(const EventRequest& event);
  int end(std::span<long long> counts);
  void release();

  int set_;
  std::vector<std::string> names_;
  bool running_ = false;
};

}  // namespace assay
