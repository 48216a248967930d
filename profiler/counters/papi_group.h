#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/counters/counter_group.h"
#include "profiler/counters/event.h"

namespace assay {

// Everything that uses papi.h. PAPI is initialised when it is first needed, which takes some 2 ms,
// and is never shut down, since it shares libpfm4 with this program. Used in this way it installs
// no signal handler and writes nothing. Its errors are thrown with its own messages
// (PAPI_strerror), never as numbers.

/// Whether PAPI and its component perf_event can be used at all. They cannot on a CPU that is newer
/// than PAPI's libpfm4, to which then no names of events mean anything, not even the kernel's.
bool papi_starts();

/// Whether PAPI knows an event with that name on this CPU: a preset or a native event of its
/// component perf_event. The machine may still be unable to count it. Throws EnvironmentError, with
/// PAPI's reason, if PAPI or that component cannot be used.
bool papi_has(const std::string& event);

/// Counters of PAPI's component perf_event, in one event set, user mode only.
///
/// How it is known that they counted all the time: PAPI opens a set that is not multiplexed, and
/// these never are, as one group of perf_event_open with a pinned leader. The kernel counts such a
/// group whenever the process runs. Once it cannot, it puts the group into an error state in which
/// reading gives nothing; PAPI then fails (PAPI_ESYS), and stop() throws. PAPI 7.0.0 works like
/// that (function open_pe_events in perf_event.c, and its system calls, which were watched). PAPI
/// itself neither promises it nor gives the times enabled and running, so that a version of PAPI
/// that no longer pinned its groups would not be noticed here. On a hybrid CPU, the kernel counts
/// nothing, without an error, for events of the other kind of core: a first counter that stands
/// still is therefore an error too.
class PapiGroup : public CounterGroup {
 public:
  /// Opens the events together. The first of them must be one that occurs in any running process.
  /// `process` must be stopped; if there is none, the calling thread is counted. Names of events
  /// are used as they are: the caller has to check assay's rules for what may be counted. Throws
  /// EnvironmentError, with the event and PAPI's message, if PAPI does not count them together; but
  /// InputError if PAPI does not know the second event, or does not count it beside the first for a
  /// reason that lies in the event.
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
