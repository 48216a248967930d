#include "profiler/protocol/assay_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiler/protocol/assay_judge.h"
#include "profiler/protocol/assay_plan.h"
#include "profiler/protocol/floor_check.h"
#include "profiler/support/statistics.h"

namespace assay {
namespace {

constexpr int kManySeries = 16;
/// The fewest cycles that the largest size takes more than the smallest, where more copies would
/// leave the cache. A core has some 500 instructions in flight: of a few copies, most of the time
/// is that of filling and draining it. (Granite Rapids, 1,888 blocks of gzip at as few copies as
/// this: of those below 20 cycles a quarter was more than 5 % off their value at 400 instructions,
/// of those from 20 to 40 a seventh, of those above 100 some 5 %.)
constexpr double kFewestCycles = 32;

/// Whether the samples are looked at after so many passes: after each of the first few, and then
/// whenever there are about a quarter more than at the last look. Each look costs time, and gives
/// chance an opportunity.
bool is_look(int passes) {
  constexpr int kEachUpTo = 6;
  if (passes <= kEachUpTo) return true;
  int look = kEachUpTo;
  while (look < passes) look += look / 4;
  return look == passes;
}

}  // namespace

AssaySampling::AssaySampling(Planner planner, double usual_variance, const Plan& plan, double floor,
                             const Settings& settings, Companions& companions,
                             std::chrono::nanoseconds budget, std::uint32_t first_pass)
    : planner_(std::move(planner)),
      usual_variance_(usual_variance),
      planned_variance_(usual_variance),
      series_(planner_(usual_variance)),
      plan_(plan),
      floor_(floor),
      settings_(settings),
      budget_(budget),
      first_pass_(first_pass),
      added_within_cache_(plan.walks() ? plan.added_copies() : Copies()),
      can_be_raised_(raised(plan).has_value()),
      estimator_(std::vector<SizesInCopies>(), companions, series_.size()) {
  enter_pass(first_pass_);
}

void AssaySampling::enter_pass(std::uint32_t pass) {
  for (SeriesPlan& series : series_) series.pass = pass;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < kAlignments && plan_.has_places(); ++i) {
    places.push_back(plan_.place_at(i, pass));
  }
  estimator_.run_at(sizes_at_alignments(plan_, kAlignments, pass), std::move(places));
}

/// The next series. Strata are parts of the places, to which other alignments belong in each pass.
const SeriesPlan& AssaySampling::series() const {
  const std::size_t turned = plan_.turn_at(series_.front().pass) % series_.size();
  return series_[(estimator_.next_stratum() + series_.size() - turned) % series_.size()];
}

SeriesFate AssaySampling::add_series(const SampledSeries& series) {
  const std::size_t stratum = estimator_.next_stratum();
  const SeriesFate fate = estimator_.add_series(this->series().round, series.readings,
                                                series.preempted, stratum, series.retried);
  if (fate == SeriesFate::kTaken && estimator_.is_balanced()) begin_pass();
  return fate;
}

void AssaySampling::begin_pass() {
  // Where the block's own runs scatter more than others do, further series are longer ones.
  const double variance = std::max(usual_variance_, estimator_.run_variance());
  if (variance != planned_variance_) {
    planned_variance_ = variance;
    series_ = planner_(variance);
  }
  enter_pass(first_pass_ + static_cast<std::uint32_t>(estimator_.passes()));
}

std::optional<SamplingEnd> AssaySampling::end(std::chrono::nanoseconds spent) const {
  // A pass that was begun is finished, since series count by passes.
  if (!estimator_.is_ready() || !estimator_.is_balanced()) return std::nullopt;
  if (!is_look(estimator_.passes()) && spent < budget_) return std::nullopt;
  const Steadiness steadiness = estimator_.steadiness();
  const Estimate estimate = estimator_.estimate(steadiness);
  const SteadyState state = steady_state(steadiness, settings_);
  if (state == SteadyState::kReached && enough(estimate)) return SamplingEnd::kEnough;
  // Without a larger plan, more samples may clear a doubt.
  if (state == SteadyState::kNotReached || (state == SteadyState::kDoubtful && can_be_raised_)) {
    return SamplingEnd::kUnsteady;
  }
  if (spent >= budget_) return SamplingEnd::kBudget;
  if (hopeless(estimate, steadiness, spent)) return SamplingEnd::kHopeless;
  return std::nullopt;
}

/// Whether the interval is narrow, or can be accepted after so many series that it would take as
/// many again. A value that cannot be, but for its interval, needs more samples in any case.
bool AssaySampling::enough(const Estimate& estimate) const {
  // The comparison is negated so that a slowdown that is not a number is too much.
  if (!(estimator_.slowdown() <= settings_.accept_slowdown)) return false;
  if (is_in_doubt(estimate, floor_)) return false;
  return is_narrow(estimate, settings_.target_relative, settings_.target_cycles) ||
         (estimator_.count() >= kManySeries &&
          is_narrow(estimate, settings_.accept_relative, settings_.accept_cycles));
}

/// Whether the interval would not be narrow enough when the budget is spent, or the steady state
/// not be known, or stays doubtful. Intervals narrow with the square root of the time.
bool AssaySampling::hopeless(const Estimate& estimate, const Steadiness& steadiness,
                             std::chrono::nanoseconds spent) const {
  constexpr double kDoubt = 1.5;
  // With so many series, rare ones that are far off have been left out: the scatter will stay.
  if (estimator_.count() < kManySeries) return false;
  using Seconds = std::chrono::duration<double>;
  const double share = std::sqrt(Seconds(spent) / Seconds(budget_)) / kDoubt;
  Estimate at_end = estimate;
  at_end.half_width *= share;
  if (!is_narrow(at_end, settings_.accept_relative, settings_.accept_cycles)) return true;
  // It was looked at many times, each of which gave chance an opportunity to let it look doubtful:
  // of one look at a block without a difference, one in 500 is as sure.
  Steadiness surely = steadiness;
  surely.half_width *= kNormalQuantile999 / kNormalQuantile;
  if (steady_state(surely, settings_) == SteadyState::kDoubtful) return true;
  Steadiness at_best = steadiness;
  at_best.first_cycles = at_best.further_cycles;
  at_best.half_width *= share;
  return steady_state(at_best, settings_) != SteadyState::kReached;
}

std::optional<Evaluation> AssaySampling::evaluate() const {
  if (!estimator_.is_ready()) return std::nullopt;
  const Steadiness steadiness = estimator_.steadiness();
  return Evaluation{estimator_.estimate(steadiness),
                    estimator_.timed_runs(),
                    steadiness,
                    estimator_.ratio(),
                    estimator_.slowdown(),
                    estimator_.count(),
                    estimator_.tried() - estimator_.count(),
                    estimator_.has_states(),
                    plan_.has_places() ? estimator_.placements() : std::vector<CodePlacement>()};
}

Outcome AssaySampling::judge(const Evaluation& evaluation) const {
  Outcome outcome = judge_evaluation(evaluation, floor_, settings_, can_be_raised_);
  const double added = evaluation.estimate.cycles * added_within_cache_.real();
  const bool too_short = added_within_cache_ > Copies() && added < kFewestCycles;
  if (!outcome.measured() || !too_short) return outcome;
  return {
      Reason::kNoSteadyState,
      fmt::format("the {} copies that stay in the cache behind the first ones take {:.0f} cycles "
                  "only: too few to tell what further ones would",
                  added_within_cache_.count(), added)};
}

Outcome AssaySampling::judge_too_few() const {
  return {Reason::kInterference, "no series of runs was left undisturbed"};
}

}  // namespace assay
