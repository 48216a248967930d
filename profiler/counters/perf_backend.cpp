#include "profiler/counters/perf_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "profiler/counters/core_pmu.h"
#include "profiler/counters/kernel_file.h"
#include "profiler/counters/perf_group.h"
#include "profiler/counters/perf_refusal.h"
#include "profiler/counters/perf_trial.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

constexpr const char* kDevices = "sys/bus/event_source/devices";

}  // namespace

PerfBackend::PerfBackend(PerfSystem& system, std::filesystem::path root, const PassLimits& limits)
    : system_(system), root_(std::move(root)), limits_(limits) {}

Event PerfBackend::core_cycles() const {
  Event cycles{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0, false};
  const std::optional<CorePmu> pmu = find_core_pmu(processor_, root_ / kDevices);
  // Without the PMU's type, a hybrid CPU counts the cycles of its larger cores, whichever core
  // runs.
  if (pmu && pmu->is_hybrid()) {
    cycles.config |= static_cast<std::uint64_t>(pmu->type) << PERF_PMU_TYPE_SHIFT;
  }
  return cycles;
}

Availability PerfBackend::probe(int processor) {
  processor_ = processor;
  if (const Availability here = counters_outlast_exec(); !here.works) return here;
  try {
    return count_this_thread();
  } catch (const EnvironmentError& error) {
    return {false, error.what(), ""};
  }
}

Availability PerfBackend::count_this_thread() {
  const PerfTrial trial = try_counting(system_, std::array{core_cycles()});
  if (trial.failure) return explain_perf_refusal(trial.failure->error, false, root_);
  if (!trial.lost.empty()) return explain_held_counters(root_);
  if (trial.counts.front() == 0) {
    return {false, "the counter of core cycles opens, and stands still",
            "use a VM type with working performance counters, or bare metal"};
  }
  if (trial.method == ReadMethod::kRdpmc) return {true, "", ""};
  const std::optional<CorePmu> pmu = find_core_pmu(processor_, root_ / kDevices);
  const std::string file =
      (std::filesystem::path("/") / kDevices / (pmu ? pmu->name : "cpu") / "rdpmc").string();
  return {true,
          "processes may not read counters themselves (RDPMC): they are read around series of runs",
          fmt::format("as root: echo 1 > {}", file)};
}

std::vector<EventRequest> PerfBackend::test_events() const {
  // These are the kernel's own names, whose meaning it knows on every CPU with counters it
  // supports.
  constexpr const char* kInstructions = "perf::INSTRUCTIONS";
  constexpr const char* kBranches = "perf::BRANCHES";
  return {{kInstructions, kInstructions, false}, {kBranches, kBranches, false}};
}

EventEncoder PerfBackend::encoder() const {
  return {find_core_pmu(processor_, root_ / kDevices),
          value_in(root_ / "proc/cpuinfo", "vendor_id")};
}

bool PerfBackend::same_event(const EventRequest& one, const EventRequest& other) const {
  const EventEncoder of_core = encoder();
  const auto kernels = [&](const EventRequest& request) {
    const Event event = of_core.encode(request);
    return std::tuple(event.type, event.config, event.config1, event.config2);
  };
  return kernels(one) == kernels(other);
}

std::vector<PerfPass> PerfBackend::find_passes(std::span<const EventRequest> events) const {
  const EventEncoder of_core = encoder();
  std::vector<Event> encoded;
  for (const EventRequest& request : events) encoded.push_back(of_core.encode(request));
  const Event cycles = core_cycles();
  std::vector<PerfPass> passes = find_perf_passes(system_, cycles, encoded, limits_, root_);
  passes.insert(passes.begin(), PerfPass{cycles});
  return passes;
}

std::unique_ptr<CounterGroup> PerfBackend::open_pass(const PerfPass& pass, pid_t process) const {
  auto opened = PerfGroup::open(system_, pass, process);
  if (const auto* failure = std::get_if<PerfOpenFailure>(&opened)) {
    const Event& event = pass[failure->place];
    throw EnvironmentError(fmt::format(
        "cannot count \"{}\" in the subject: {}", event.name,
        describe(explain_perf_refusal(failure->error, counts_in_kernel(event), root_))));
  }
  return std::get<std::unique_ptr<PerfGroup>>(std::move(opened));
}

std::vector<std::unique_ptr<CounterGroup>> PerfBackend::open(pid_t process, int processor,
                                                             std::span<const EventRequest> events) {
  processor_ = processor;
  if (found_.processor != processor || !std::ranges::equal(found_.events, events)) {
    found_ = {processor, {events.begin(), events.end()}, find_passes(events)};
  }
  std::vector<std::unique_ptr<CounterGroup>> groups;
  for (const PerfPass& pass : found_.passes) groups.push_back(open_pass(pass, process));
  return groups;
}

}  // namespace assay
