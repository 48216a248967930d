#include "profiler/protocol/block_trials.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "profiler/machine/stand_in.h"

namespace assay {
namespace {

/// Whether the block could not be sampled, for a reason that is not the moment's.
bool ended_early(const Attempt& attempt) {
  const Outcome& outcome = attempt.measurement.outcome;
  return !attempt.evaluation && outcome.reason != Reason::kInterference &&
         outcome.verdict() != Verdict::kUnfinished;
}

/// Whether the block may fare better with fewer copies: not if the traced copies, which are the
/// first ones, faulted already, or showed a trait that all copies have.
bool may_need_fewer_copies(const Attempt& attempt) {
  const Outcome& outcome = attempt.measurement.outcome;
  switch (outcome.reason) {
    case Reason::kTooLarge:
    case Reason::kPageLimit:
    case Reason::kTimeLimit:
    case Reason::kTlbReach:
    case Reason::kCacheReach:
      return true;
    case Reason::kSubjectDamaged:
      return false;
    default:
      return outcome.verdict() == Verdict::kFailed && !attempt.prepared.trace.statuses.empty();
  }
}

}  // namespace

BlockTrials::BlockTrials(const TrialBench& bench, const Block& block, Notion notion, Stage last,
                         std::vector<Attempt>* attempts, Copies earlier)
    : bench_(bench), block_(block), last_(last), attempts_(attempts), earlier_(earlier) {
  measurement_.notion = notion;
  measurement_.instructions = static_cast<std::int64_t>(block.instructions.size());
  measurement_.outcome = {Reason::kStopped, fmt::format("after {}", name(last))};
}

Measurement BlockTrials::run(const StateRequest& own) {
  if (!plan() || last_ <= Stage::kPlan) return measurement_;
  if (!own.empty()) return run_under(bench_.states.with(own));
  const Measurement first = run_under_usual_state();
  for (const InitialState& state : bench_.states.after(first.outcome.reason)) {
    const Measurement next = run_under(state);
    // An outcome that no other state would change means that the block ran under this one.
    if (fallback_states(next.outcome.reason).empty()) return next;
  }
  return first;
}

/// Plans the block. Returns false, with the reason in the measurement, if there is no plan.
bool BlockTrials::plan() {
  if (auto refusal = refuse_stand_ins(block_, bench_.support)) return end_with(*refusal);
  if (last_ == Stage::kDecode) return true;
  auto planned = bench_.protocol.plan(block_, measurement_.notion);
  if (auto* refusal = std::get_if<Outcome>(&planned)) return end_with(*refusal);
  Plan& first = std::get<Plan>(planned);
  if (!stores_bind(demand_of(block_, first), bench_.core_limits)) {
    first.first_stores = FirstStores::kFree;
  }
  first_plans_ = {std::move(first)};
  if (auto longer = bench_.protocol.longer(first_plans_.front())) {
    first_plans_.insert(first_plans_.begin(), *std::move(longer));
  }
  std::optional<Plan> larger = first_plans_.front();
  while (larger && larger->fewest_copies() < earlier_) {
    larger = bench_.protocol.raised(*larger, Reason::kNoSteadyState);
  }
  if (larger && larger->raised > 0 && larger->fewest_copies() == earlier_) {
    first_plans_.insert(first_plans_.begin(), *std::move(larger));
  }
  measurement_.copies = first_plans_.front().fewest_copies().count();
  return true;
}

bool BlockTrials::end_with(const Outcome& outcome) {
  measurement_.outcome = outcome;
  return false;
}

/// Under the usual state; or, if pointers meet under that, under one where they have room and do
/// not.
Measurement BlockTrials::run_under_usual_state() {
  const InitialState& usual = bench_.states.usual();
  if (const auto roomy = bench_.states.with_room()) {
    if (const auto measurement = run_unless_pointers_meet(usual)) return *measurement;
    const auto measurement = run_unless_pointers_meet(*roomy);
    if (measurement && fallback_states(measurement->outcome.reason).empty()) return *measurement;
  }
  return run_under(usual);
}

Measurement BlockTrials::run_under(const InitialState& state) {
  return try_plans(state, false).value();
}

std::optional<Measurement> BlockTrials::run_unless_pointers_meet(const InitialState& state) {
  return try_plans(state, true);
}

/// Tries the block under one initial state, and under larger plans as long as they may help.
/// Returns nothing if it gave way to another state.
std::optional<Measurement> BlockTrials::try_plans(const InitialState& state, bool gives_way) {
  LoadedBlock loaded(bench_.workbench, block_, state, bench_.run_limits);
  may_have_strayed_ = may_have_strayed_ || loaded.may_stray(measurement_.notion);
  bench_.workbench.subject().unmap_all();
  const auto trial = [&] { return Trial(bench_, loaded, measurement_, last_, gives_way); };
  const auto gave_way = [&](const Attempt& attempt) {
    return gives_way && attempt.prepared.pointers_meet;
  };
  Attempt attempt = trial().run(first_plans_.front());
  for (std::size_t i = 1; i < first_plans_.size(); ++i) {
    if (!ended_early(attempt) || !may_need_fewer_copies(attempt)) break;
    note(attempt);
    bench_.workbench.subject().unmap_all();
    attempt = trial().run(first_plans_[i]);
  }
  for (;;) {
    note(attempt);
    if (gave_way(attempt)) return std::nullopt;
    const Measurement before = attempt.measurement;
    const auto larger = bench_.protocol.raised(attempt.prepared.plan, before.outcome.reason);
    if (!larger) return placed(attempt, loaded);
    auto prepared = std::move(attempt.prepared).under(*larger);
    attempt = prepared ? trial().run(std::move(*prepared)) : trial().run(*larger);
    // A larger n may reach a limit that the block itself does not: then what was found before
    // stands.
    if (ended_early(attempt) && !gave_way(attempt)) {
      note(attempt);
      return before;
    }
  }
}

/// What the attempt found and, if that is a value, those at other places. If that damages the
/// subject, this stands in its place.
Measurement BlockTrials::placed(const Attempt& attempt, LoadedBlock& loaded) const {
  Measurement measurement = attempt.measurement;
  if (!measurement.outcome.measured()) return measurement;
  // What a block alone shows at many places must not pass for what blocks usually show; and for
  // want of patience there, the next block needs no other subject.
  const SeriesScatter values = bench_.companions.value_scatter();
  const SeriesScatter differences = bench_.companions.difference_scatter();
  Patience patience(bench_.patience.left());
  const TrialBench bench = {bench_.support,
                            bench_.states,
                            bench_.run_limits,
                            bench_.protocol,
                            bench_.preparer,
                            bench_.events,
                            bench_.core_limits,
                            bench_.workbench,
                            bench_.companions,
                            patience,
                            bench_.ledger,
                            bench_.visit,
                            false};
  for (const Plan& plan : bench.protocol.elsewhere(attempt.prepared.plan, block_)) {
    if (patience.left() == std::chrono::nanoseconds(0)) break;
    Preparation prepared = attempt.prepared;
    prepared.plan = plan;
    const Attempt there = Trial(bench, loaded, measurement_, last_).run(std::move(prepared));
    if (there.measurement.outcome.reason == Reason::kSubjectDamaged) return there.measurement;
    if (const auto& estimate = there.measurement.estimate) {
      measurement.placements.push_back(
          {plan.loop.alignment, estimate->cycles, estimate->half_width});
    }
  }
  bench_.companions.value_scatter() = values;
  bench_.companions.difference_scatter() = differences;
  return measurement;
}

void BlockTrials::note(const Attempt& attempt) {
  counted_events_ = attempt.counted_events;
  if (const auto& evaluation = attempt.evaluation) {
    ratio_ = per_tick(evaluation->ratio, attempt.stamps);
  }
  if (attempts_ != nullptr) attempts_->push_back(attempt);
}

}  // namespace assay
