#include "profiler/protocol/assay_judge.h"

#include <fmt/format.h>

#include "profiler/protocol/floor_check.h"
#include "profiler/sampling/estimate.h"

namespace assay {

Outcome judge_evaluation(const Evaluation& evaluation, double floor, const Settings& settings,
                         bool can_be_raised) {
  const Estimate& estimate = evaluation.estimate;
  // The comparison is negated so that a slowdown that is not a number is too much.
  if (!(evaluation.slowdown <= settings.accept_slowdown)) {
    return {Reason::kInterference,
            fmt::format("the canary was {:.1f} % slower than on an undisturbed core",
                        100 * evaluation.slowdown)};
  }
  if (is_below(estimate, floor)) return {Reason::kBelowLimit, describe_below(estimate, floor)};
  const auto steady = evaluation.steadiness ? steady_state(*evaluation.steadiness, settings)
                                            : SteadyState::kReached;
  const auto halves = [&] {
    return fmt::format("{:.3f} cycles a copy at first, {:.3f} further on",
                       evaluation.steadiness->first_cycles, evaluation.steadiness->further_cycles);
  };
  const bool doubtful = steady == SteadyState::kDoubtful;
  if (steady == SteadyState::kNotReached || (doubtful && can_be_raised)) {
    return {Reason::kNoSteadyState, halves()};
  }
  if (doubtful) return {Reason::kUnstable, halves()};
  // A comparison with a value that is not a number is false, so that such an estimate is unstable.
  const bool sure = estimate.cycles > estimate.half_width &&
                    is_narrow(estimate, settings.accept_relative, settings.accept_cycles);
  if (sure && steady == SteadyState::kReached) return {Reason::kNone, ""};
  if (sure) {
    return {
        Reason::kUnstable,
        fmt::format("it is not sure that further copies take as long as the first: a difference "
                    "of {:.3f} +- {:.3f} cycles after {} runs",
                    evaluation.steadiness->difference(), evaluation.steadiness->half_width,
                    evaluation.timed.runs)};
  }
  return {Reason::kUnstable, fmt::format("{:.3f} +- {:.3f} cycles after {} runs", estimate.cycles,
                                         estimate.half_width, evaluation.timed.runs)};
}

std::optional<Evidence> evidence_of(const Evaluation& evaluation, const Outcome& outcome,
                                    double floor) {
  const bool shows = outcome.measured() || outcome.reason == Reason::kUnstable;
  if (!evaluation.steadiness || !shows) return std::nullopt;
  const auto& [first, further, half_width] = *evaluation.steadiness;
  return Evidence{.estimate = evaluation.estimate,
                  .difference = {.cycles = further - first, .half_width = half_width},
                  .floor = floor,
                  .states = evaluation.has_states ? 2 : 1};
}

}  // namespace assay
