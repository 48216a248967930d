#include "profiler/counters/perf_passes.h"

#include <cerrno>

#include <fmt/format.h>

#include "profiler/counters/perf_group.h"
#include "profiler/counters/perf_refusal.h"
#include "profiler/counters/perf_trial.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

/// Whether the error concerns the event alone: core cycles, which were opened just before, would
/// not be refused for this reason. A VM that hides an event gives these errors too.
bool concerns_event_alone(int error) {
  return error == EINVAL || error == ENOENT || error == ENODEV || error == EOPNOTSUPP;
}

[[noreturn]] void refuse(const PerfPass& pass, const PerfOpenFailure& failure,
                         const std::filesystem::path& root) {
  const Event& event = pass[failure.place];
  if (failure.place > 0 && concerns_event_alone(failure.error)) {
    throw InputError(fmt::format(
        "event \"{}\": {}; is it one of another CPU, or of what lies outside of the core?",
        event.name,
        describe_errno("the kernel does not count it for a process beside core cycles",
                       failure.error)));
  }
  throw EnvironmentError(
      fmt::format("event \"{}\": {}", event.name,
                  describe(explain_perf_refusal(failure.error, counts_in_kernel(event), root))));
}

}  // namespace

std::vector<PerfPass> find_perf_passes(PerfSystem& system, const Event& cycles,
                                       std::span<const Event> events, const PassLimits& limits,
                                       const std::filesystem::path& root) {
  const auto fits = [&](const PerfPass& pass) { return try_counting(system, pass).counted(); };
  const auto require = [&](const PerfPass& pass) {
    const PerfTrial trial = try_counting(system, pass);
    if (trial.failure) refuse(pass, *trial.failure, root);
    if (!trial.lost.empty()) {
      throw EnvironmentError(fmt::format("event \"{}\" cannot be counted beside core cycles: {}",
                                         pass.back().name, describe(explain_held_counters(root))));
    }
  };
  return share_out(cycles, events, limits, fits, require);
}

}  // namespace assay
