#include "profiler/protocol/preparation.h"

#include <algorithm>
#include <utility>

#include "profiler/codegen/traced_kernel.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/loop_ends.h"
#include "profiler/running/fault_outcome.h"

namespace assay {

std::optional<Preparation> Preparation::under(const Plan& other) && {
  const Copies most = plan.most_copies();
  if (plan.notion != Notion::kUnrolled || most != other.most_copies()) return std::nullopt;
  Preparation same{other, std::move(trace), conditions, pointers_meet, times};
  // The time of the new smallest size is interpolated between those of the two sizes that ran.
  const double share =
      (other.fewest_copies() - plan.fewest_copies()).real() / (most - plan.fewest_copies()).real();
  same.times.smallest = times.smallest + (times.largest - times.smallest) * share;
  return same;
}

Preparer::Preparer(const Settings& settings, const Protocol& protocol, Workbench& workbench,
                   const Companions& companions, TimeLedger& ledger)
    : settings_(settings),
      protocol_(protocol),
      workbench_(workbench),
      companions_(companions),
      ledger_(ledger),
      data_tlb_entries_(data_tlb_entries()) {}

std::optional<Outcome> Preparer::prepare(LoadedBlock& loaded, Preparation& preparation) const {
  Plan& plan = preparation.plan;
  if (plan.end_is_open) {
    const TimeLedger::Entry entry(ledger_, Activity::kTrace);
    auto outcome = find_loop_end(loaded, settings_.loop_end, plan);
    workbench_.subject().unmap_all();  // the tries may have gone where the loop will not go
    if (outcome) return outcome;
  }
  const Plan first = plan;
  auto outcome = prepare_as_it_ends(loaded, preparation);
  const bool may_turn_otherwise =
      !outcome || outcome->reason == Reason::kTimeLimit || outcome->reason == Reason::kPageLimit;
  if (!may_turn_otherwise || is_rejected_untimed(preparation) || turns_as_planned(loaded, plan)) {
    return outcome;
  }
  // Far from where it was tried, the loop ends otherwise, or goes on and on.
  plan = first;
  auto refusal = give_up_own_end(loaded, settings_.loop_end, plan);
  if (refusal) return outcome ? std::move(outcome) : std::move(refusal);
  workbench_.subject().unmap_all();
  return prepare_as_it_ends(loaded, preparation);
}

/// Whether judge_trace() will reject it for what is known without running it.
bool Preparer::is_rejected_untimed(const Preparation& preparation) const {
  return preparation.conditions.leaves_cache && settings_.reject.has(Trait::kCacheReach);
}

std::optional<Outcome> Preparer::prepare_as_it_ends(LoadedBlock& loaded,
                                                    Preparation& preparation) const {
  if (auto refusal = loaded.load(preparation.plan, 1)) return refusal;
  if (auto outcome = trace(loaded, preparation)) return outcome;
  // There is no use in running it.
  if (is_rejected_untimed(preparation)) return std::nullopt;
  auto outcome = map_pages(loaded, preparation);
  preparation.conditions.strays = !outcome && protocol_.strays(loaded);
  return outcome;
}

std::optional<Outcome> Preparer::trace(LoadedBlock& loaded, Preparation& preparation) const {
  const TimeLedger::Entry entry(ledger_, Activity::kTrace);
  const Block& block = loaded.block();
  const InitialState state = state_of_largest_size(loaded.state(), preparation.plan);
  const auto made = trace_kernel(block, state, loaded.trace_address());
  if (const auto* refusal = std::get_if<Outcome>(&made)) return *refusal;
  const TracedKernel& kernel = std::get<TracedKernel>(made);
  TraceRun run = loaded.trace(kernel, state);
  if (run.fault) {
    return outcome_of(*run.fault, kernel.locate(run.fault->registers.rip), block);
  }
  preparation.trace = std::move(run.trace);
  preparation.conditions = {.data_tlb_entries = data_tlb_entries_,
                            .leaves_cache = protocol_.fit_to_cache(loaded, preparation.plan),
                            .frames = loaded.state().frames,
                            .home = kernel.home,
                            .block_size = block.bytes.size()};
  if (!loaded.state().pages_share_frames()) {
    const Copies most = preparation.plan.most_copies();
    preparation.trace.foreseen = loaded.meeting(most);
    preparation.pointers_meet = loaded.pointers_meet(most);
  }
  return std::nullopt;
}

std::optional<Outcome> Preparer::map_pages(LoadedBlock& loaded, Preparation& preparation) const {
  const TimeLedger::Entry entry(ledger_, Activity::kPrepare);
  LoadedBlock::Prepared prepared = loaded.prepare();
  const bool at_limit = prepared.fault ? prepared.fault->outcome.reason == Reason::kPageLimit
                                       : loaded.pages() > data_tlb_entries_;
  // Pages that were foreseen wrongly must not count against the block.
  if (at_limit && loaded.foresaw_pages()) prepared = loaded.prepare_unforeseen();
  const CyclesPerReading ratio = companions_.ratio().value();
  if (!prepared.fault) protocol_.fit(loaded, preparation.plan, prepared, ratio);
  if (prepared.fault) return loaded.outcome_of(*prepared.fault);
  preparation.times = {ratio * prepared.smallest, ratio * prepared.largest};
  return std::nullopt;
}

std::optional<Outcome> Preparer::judge_trace(const LoadedBlock& loaded, Preparation& preparation,
                                             TraceFindings& findings) const {
  const TimeLedger::Entry entry(ledger_, Activity::kTrace);
  const Block& block = loaded.block();
  const TraceConditions& conditions = preparation.conditions;
  preparation.conditions.pages = loaded.pages();
  findings = analyse(preparation.trace, conditions);
  if (findings.intrusion) {
    return Outcome{findings.intrusion->reason, describe(*findings.intrusion, block)};
  }
  const Traits rejected = (findings.traits | block.traits) & settings_.reject;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (!rejected.has(trait)) continue;
    const auto found = std::ranges::find(findings.findings, trait, &Finding::trait);
    const bool traced = found != findings.findings.end();
    return Outcome{named<Reason>(name(trait)).value(),
                   traced ? describe(*found, block, conditions) : ""};
  }
  return std::nullopt;
}

}  // namespace assay
