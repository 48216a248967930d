#include "profiler/protocol/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiler/sampling/sampler.h"

namespace assay {

bool is_below(const Estimate& estimate, double floor) {
  constexpr double kMargin = 0.01;
  return floor > 0 && estimate.cycles + estimate.half_width < (1 - kMargin) * floor;
}

std::string describe_below(const Estimate& estimate, double floor) {
  return fmt::format("{:.3f} +- {:.3f} cycles, and at least {:.3f} are needed", estimate.cycles,
                     estimate.half_width, floor);
}

void judge(Measurement& measurement, const Circumstances& circumstances, const Settings& settings) {
  const Estimate& estimate = measurement.estimate.value();
  if (!(circumstances.slowdown <= settings.accept_slowdown)) {
    measurement.outcome = {Reason::kInterference,
                           fmt::format("the canary was {:.1f} % slower than on an undisturbed core",
                                       100 * circumstances.slowdown)};
    return;
  }
  if (is_below(estimate, circumstances.floor)) {
    measurement.outcome = {Reason::kBelowLimit, describe_below(estimate, circumstances.floor)};
    return;
  }
  if (const Steadiness& found = circumstances.steadiness; !is_steady(found, settings)) {
    measurement.outcome = {Reason::kNoSteadyState,
                           fmt::format("{:.3f} cycles a copy at first, {:.3f} further on",
                                       found.near_cycles, found.far_cycles)};
    return;
  }
  // A comparison with a value that is not a number is false: such an estimate is unstable too.
  const bool sure = estimate.cycles > estimate.half_width &&
                    is_narrow(estimate, settings.accept_relative, settings.accept_cycles);
  if (sure) {
    measurement.outcome = {Reason::kNone, ""};
  } else {
    measurement.outcome = {Reason::kUnstable,
                           fmt::format("{:.3f} +- {:.3f} cycles after {} runs", estimate.cycles,
                                       estimate.half_width, estimate.runs)};
  }
}

}  // namespace assay
