#include "profiler/protocol/assay_sampling.h"

#include <cmath>
#include <utility>

#include "profiler/protocol/assay_judge.h"
#include "profiler/protocol/assay_plan.h"

namespace assay {

AssaySampling::AssaySampling(std::vector<SeriesPlan> series, const Plan& plan,
                             const Settings& settings, Companions& companions,
                             std::chrono::nanoseconds budget)
    : series_(std::move(series)),
      settings_(settings),
      budget_(budget),
      can_be_raised_(raised(plan).has_value()),
      estimator_(sizes_in_copies(plan), companions, series_.size()) {}

std::optional<SamplingEnd> AssaySampling::end(std::chrono::nanoseconds spent) const {
  if (!estimator_.is_ready()) return std::nullopt;
  // Decisions are rare, since each gives chance an opportunity.
  if (estimator_.is_balanced()) {
    const SteadyState state = steady_state(estimator_.steadiness(), settings_);
    if (state == SteadyState::kReached && enough()) return SamplingEnd::kEnough;
    // Without a larger plan, more samples may clear a doubt.
    if (state == SteadyState::kNotReached || (state == SteadyState::kDoubtful && can_be_raised_)) {
      return SamplingEnd::kUnsteady;
    }
  }
  if (spent >= budget_) return SamplingEnd::kBudget;
  if (hopeless(spent)) return SamplingEnd::kHopeless;
  return std::nullopt;
}

bool AssaySampling::enough() const {
  return estimator_.slowdown() <= settings_.accept_slowdown &&
         is_narrow(estimator_.estimate(), settings_.target_relative, settings_.target_cycles);
}

/// Whether the interval would not be narrow enough when the budget is spent. It narrows with the
/// square root of the time.
bool AssaySampling::hopeless(std::chrono::nanoseconds spent) const {
  // With so many series, rare ones that are far off have been left out: the scatter will stay.
  constexpr int kSeriesToTell = 24;
  constexpr double kDoubt = 1.5;
  if (estimator_.count() < kSeriesToTell) return false;
  using Seconds = std::chrono::duration<double>;
  Estimate at_end = estimator_.estimate();
  at_end.half_width *= std::sqrt(Seconds(spent) / Seconds(budget_)) / kDoubt;
  return !is_narrow(at_end, settings_.accept_relative, settings_.accept_cycles);
}

std::optional<Evaluation> AssaySampling::evaluate() const {
  if (!estimator_.is_ready()) return std::nullopt;
  return Evaluation{estimator_.estimate(), estimator_.timed_runs(), estimator_.steadiness(),
                    estimator_.ratio(), estimator_.slowdown()};
}

Outcome AssaySampling::judge(const Evaluation& evaluation, double floor) const {
  return judge_evaluation(evaluation, floor, settings_, can_be_raised_);
}

Outcome AssaySampling::judge_too_few() const {
  return {Reason::kInterference, "no series of runs was left undisturbed"};
}

}  // namespace assay
