#include "profiler/counters/tsc_backend.h"

#include <fmt/format.h>

#include "profiler/counters/tsc.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

/// The time-stamp counter as a group: there is nothing to open, to start or to stop.
class TscGroup : public CounterGroup {
 public:
  ReadMethod method() const override { return ReadMethod::kTsc; }
  std::span<const std::string> names() const override { return names_; }
  void start() override {}
  std::vector<std::uint64_t> stop() override { return {}; }

 private:
  std::vector<std::string> names_ = {"ticks"};
};

}  // namespace

Availability TscBackend::probe(int) {
  try {
    probe_tsc();
    return {true, "", ""};
  } catch (const EnvironmentError& error) {
    return {false, error.what(), "use another machine, or a clock of hardware counters"};
  }
}

Clock TscBackend::clock() { return {Ticks(probe_tsc().step), std::nullopt}; }

std::vector<std::unique_ptr<CounterGroup>> TscBackend::open(pid_t, int,
                                                            std::span<const EventRequest> events) {
  if (!events.empty()) {
    throw InputError(
        fmt::format("event \"{}\": the clock tsc counts no events; they take a clock of hardware "
                    "counters, perf or papi, on a machine that shows them",
                    events.front().name));
  }
  std::vector<std::unique_ptr<CounterGroup>> groups;
  groups.push_back(std::make_unique<TscGroup>());
  return groups;
}

}  // namespace assay
