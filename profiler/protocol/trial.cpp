#include "profiler/protocol/trial.h"

#include <array>
#include <chrono>
#include <utility>

#include "profiler/protocol/assay_judge.h"
#include "profiler/sampling/sampler.h"

namespace assay {

Trial::Trial(const TrialBench& bench, LoadedBlock& loaded, Measurement measurement, Stage last,
             bool gives_way)
    : bench_(bench), loaded_(loaded), last_(last), gives_way_(gives_way) {
  measurement_ = std::move(measurement);
  measurement_.initial_state = loaded.state().name;
  attempt_.stamps = bench.workbench.stamps();
}

Attempt Trial::run(const Plan& plan) {
  attempt_.prepared.plan = plan;
  return run_steps();
}

Attempt Trial::run(Preparation prepared) {
  attempt_.prepared = std::move(prepared);
  is_prepared_ = true;
  return run_steps();
}

Attempt Trial::run_steps() {
  struct Step {
    Stage stage;
    bool (Trial::*run)();
  };
  constexpr std::array kSteps = {
      Step{Stage::kPrepare, &Trial::prepare}, Step{Stage::kSample, &Trial::sample},
      Step{Stage::kEstimate, &Trial::estimate}, Step{Stage::kJudge, &Trial::judge}};
  const TimeLedger::Entry entry(bench_.ledger, Activity::kEmit);
  for (const auto& [stage, step] : kSteps) {
    if (!(this->*step)() || stage == last_) break;
  }
  return std::move(attempt_);
}

bool Trial::end_with(Outcome outcome) {
  measurement_.outcome = std::move(outcome);
  return false;
}

bool Trial::end_with(const subject::Fault& fault) {
  measurement_.pages = loaded_.pages();
  return end_with(loaded_.outcome_of(fault));
}

bool Trial::prepare() {
  Preparation& prepared = attempt_.prepared;
  if (!is_prepared_) {
    auto outcome = bench_.preparer.prepare(loaded_, prepared);
    measurement_.pages = loaded_.pages();
    if (outcome) return end_with(std::move(*outcome));
  }
  if (gives_way_ && prepared.pointers_meet) {
    return end_with(Outcome{Reason::kStopped, "its pointers walk to where others lead"});
  }
  measurement_.copies = prepared.plan.fewest_copies().count();
  if (prepared.plan.notion == Notion::kLooped) {
    measurement_.loop_end = name(prepared.plan.loop.end);
    measurement_.initial_state = loaded_.state().name;  // the loop's end may need other memory
  }
  measurement_.pages = loaded_.pages();
  auto outcome = bench_.preparer.judge_trace(loaded_, prepared, attempt_.findings);
  measurement_.traits = attempt_.findings.traits | loaded_.block().traits;
  return !outcome || end_with(std::move(*outcome));
}

bool Trial::sample() {
  const Protocol& protocol = bench_.protocol;
  const Plan& plan = attempt_.prepared.plan;
  if (auto refusal = loaded_.load(plan, protocol.alignments())) {
    return end_with(std::move(*refusal));
  }
  const auto ratio = [&] { return bench_.companions.ratio().value(); };
  std::optional<Cycles> layout_limit;  // in cycles, since the frequency may change
  // Fixed protocols have one alignment, at which preparing ran the block already.
  if (protocol.alignments() > 1) {
    const TimeLedger::Entry sampling(bench_.ledger, Activity::kSample);
    const LoadedBlock::Met met = loaded_.meet();
    if (met.fault) return end_with(*met.fault);
    if (met.layout_limit) layout_limit = ratio() * *met.layout_limit;
  }
  // A block that stores might do so at a later visit what it does not do under this plan or state.
  const Block& block = loaded_.block();
  const bool may_harm = block.writes_memory || (bench_.visit == 1 && block.accesses_memory);
  if (may_harm && loaded_.may_stray(plan.notion)) {
    const TimeLedger::Entry preparing(bench_.ledger, Activity::kPrepare);
    if (const auto fault = loaded_.guard()) return end_with(*fault);
  }
  const TimeLedger::Entry entry(bench_.ledger, Activity::kJudge);
  // A measurement that ends before a verdict may look at samples that can lead to none.
  if (last_ == Stage::kJudge) {
    if (auto objection = protocol.objection(plan, bench_.companions)) {
      return end_with(std::move(*objection));
    }
  }
  attempt_.floor = floor_of(plan, loaded_.block(), bench_.core_limits);
  const PlannedRuns runs = {plan, attempt_.prepared.times, bench_.workbench.group(0).method(),
                            attempt_.floor};
  sampling_ = protocol.sampling(runs, bench_.companions, bench_.visit);
  const SamplingEnvironment environment = {
      [&] {
        const TimeLedger::Entry sampling(bench_.ledger, Activity::kSample);
        const auto limit =
            layout_limit ? std::optional(ratio().inverse(*layout_limit)) : std::nullopt;
        return loaded_.run(sampling_->series(), limit);
      },
      std::chrono::steady_clock::now, bench_.patience.on_waiting};
  const SamplingResult result = assay::sample(*sampling_, environment, bench_.patience.left());
  attempt_.series.assign(sampling_->points().begin(), sampling_->points().end());
  bench_.patience.note(result, attempt_.series);
  if (result.fault) return end_with(*result.fault);
  measurement_.pages = loaded_.pages();
  return true;
}

bool Trial::estimate() {
  const TimeLedger::Entry entry(bench_.ledger, Activity::kJudge);
  attempt_.evaluation = sampling_->evaluate();
  if (!attempt_.evaluation) return end_with(sampling_->judge_too_few());
  measurement_.timed = attempt_.evaluation->timed;
  return true;
}

bool Trial::judge() {
  const TimeLedger::Entry entry(bench_.ledger, Activity::kJudge);
  const Estimate& estimate = attempt_.evaluation->estimate;
  measurement_.outcome = sampling_->judge(*attempt_.evaluation);
  // If the core was disturbed, the events would be those of the disturbance too.
  const bool counts = bench_.counts_events && estimate.cycles > 0 &&
                      measurement_.outcome.reason != Reason::kInterference &&
                      bench_.workbench.groups() > 1;
  if (counts) count_events();
  if (measurement_.outcome.measured()) {
    measurement_.estimate = estimate;
    measurement_.placements = attempt_.evaluation->placements;
  }
  measurement_.evidence = evidence_of(*attempt_.evaluation, measurement_.outcome, attempt_.floor);
  return true;
}

void Trial::count_events() {
  attempt_.counted_events = true;
  EventCounting::Counts counts =
      bench_.events.count(bench_.workbench, loaded_, attempt_.prepared.plan,
                          attempt_.evaluation->estimate, measurement_.traits);
  measurement_.events = std::move(counts.events);
  attempt_.events_left_out = std::move(counts.left_out);
  if (counts.fault) {
    end_with(*counts.fault);
  } else if (measurement_.outcome.measured() && counts.outcome) {
    measurement_.outcome = std::move(*counts.outcome);
  }
}

}  // namespace assay
