#include "profiler/counters/papi_backend.h"

#include <algorithm>
#include <future>
#include <system_error>

#include <fmt/format.h>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/counter_passes.h"
#include "profiler/counters/named_event.h"
#include "profiler/counters/papi_group.h"
#include "profiler/counters/perf_backend.h"
#include "profiler/counters/perf_refusal.h"
#include "profiler/counters/perf_trial.h"

namespace assay {
namespace {

/// A request for the preset if PAPI has it here, and else for the kernel's name of the same event.
/// PAPI has presets only for the CPUs in its own table: PAPI 7.0.0 has none for AMD's since Zen 4.
/// The kernel's names exist on all CPUs.
EventRequest preset_or(const char* preset, const char* kernels) {
  const char* const name = papi_has(preset) ? preset : kernels;
  return {name, name};
}

EventRequest core_cycles() { return preset_or("PAPI_TOT_CYC", "perf::CYCLES"); }

/// Throws InputError for an event that assay does not count. Native events are libpfm4's, so that
/// the rules for those hold, first of all that the kernel is not counted: a modifier such as ":k=1"
/// would override PAPI's own domain.
void check_event(const EventRequest& event, const EventRequest& cycles,
                 const std::optional<CorePmu>& pmu) {
  constexpr std::string_view kPrefix = "perf_event:::";
  std::string_view native = event.specification;
  if (native.starts_with(kPrefix)) native.remove_prefix(kPrefix.size());
  const bool preset = native.starts_with("PAPI_");
  if (!preset) encode_named_event(std::string(native), pmu);
  if (native == cycles.specification) {
    throw InputError(fmt::format("event {}: core cycles are counted beside all others in any case",
                                 event.specification));
  }
  if (papi_has(event.specification)) return;
  throw InputError(fmt::format("event {}: PAPI has no such {} for this CPU ({} lists what it has)",
                               event.specification, preset ? "preset" : "native event",
                               preset ? "papi_avail" : "papi_native_avail"));
}

/// Counts a busy thread with these events. The thread is a new one, on the same processor: a set
/// that PAPI cannot stop belongs to its thread, and disturbs nobody once that has ended.
void try_counting(std::span<const EventRequest> pass) {
  const auto count = [&] {
    PapiGroup group(pass, std::nullopt);
    group.start();
    keep_busy();
    group.stop();
  };
  std::future<void> counted;
  try {
    counted = std::async(std::launch::async, count);
  } catch (const std::system_error& error) {
    throw no_thread(error);
  }
  counted.get();
}

bool can_count(std::span<const EventRequest> pass) {
  try {
    try_counting(pass);
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::vector<EventRequest>> find_passes(const EventRequest& cycles,
                                                   std::span<const EventRequest> events) {
  auto passes = share_out(cycles, events, {}, can_count, try_counting);
  passes.insert(passes.begin(), {cycles});
  return passes;
}

}  // namespace

Availability PapiBackend::probe(int processor) {
  if (const Availability here = counters_outlast_exec(); !here.works) return here;
  try {
    const EventRequest cycles = core_cycles();
    try_counting({&cycles, 1});
    return {true, "", ""};
  } catch (const EnvironmentError& error) {
    // PAPI's messages are short. The backend perf uses the same counters, and can say more about
    // what is wrong.
    const Availability below = PerfBackend().probe(processor);
    if (below.works) return {false, error.what(), "use the clock perf, which works here"};
    return {false, fmt::format("{}; {}", error.what(), below.why), below.remedy};
  }
}

std::vector<EventRequest> PapiBackend::test_events() const {
  return {preset_or("PAPI_TOT_INS", "perf::INSTRUCTIONS"),
          preset_or("PAPI_BR_INS", "perf::BRANCHES")};
}

std::vector<std::unique_ptr<CounterGroup>> PapiBackend::open(pid_t process, int processor,
                                                             std::span<const EventRequest> events) {
  if (passes_.empty() || !std::ranges::equal(events_, events)) {
    if (!papi_starts()) throw EnvironmentError(describe(probe(processor)));
    const EventRequest cycles = core_cycles();
    const std::optional<CorePmu> pmu = find_core_pmu(processor);
    for (const EventRequest& event : events) check_event(event, cycles, pmu);
    if (const Availability here = probe(processor); !here.works) {
      throw EnvironmentError(describe(here));
    }
    passes_ = find_passes(cycles, events);
    events_.assign(events.begin(), events.end());
  }
  std::vector<std::unique_ptr<CounterGroup>> groups;
  for (const auto& pass : passes_) groups.push_back(std::make_unique<PapiGroup>(pass, process));
  return groups;
}

}  // namespace assay
