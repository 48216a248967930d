#include "profiler/protocol/profiler.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "profiler/counters/tsc.h"
#include "profiler/machine/features.h"
#include "profiler/machine/limits.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/assay_plan.h"
#include "profiler/protocol/block_trials.h"
#include "profiler/protocol/calibration.h"
#include "profiler/protocol/protocols.h"
#include "profiler/protocol/visits.h"
#include "profiler/running/code_pages.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

DataReach data_reach() { return {data_cache(), data_tlb_entries(), stored_tlb_entries()}; }

Companions companions_of(const Workbench& workbench, const Clock& clock,
                         const std::optional<NopRate>& nops, const Settings& settings) {
  std::optional<CyclesPerReading> ratio;
  if (clock.cycles_per_tick) ratio = per_reading(*clock.cycles_per_tick, workbench.stamps());
  const Canary canary = nops ? Canary(nops->per_cycle, nops->leeway) : Canary(std::nullopt);
  return {workbench.step(), canary, ClockRatio(ratio), settings.series_slowdown};
}

}  // namespace

Profiler::Profiler(const Settings& settings, int processor)
    : Profiler(settings, processor, backend_named(settings.clock)) {
  const std::string_view reading = name(workbench_.group(0).method());
  if (reading == settings.clock_reading) return;
  throw EnvironmentError(
      fmt::format("the clock {} is read by {} now, and not by {} as a moment ago: "
                  "somebody changed what the system allows; try again",
                  settings.clock, reading, settings.clock_reading));
}

Profiler::Profiler(const Settings& settings, int processor, std::unique_ptr<CounterBackend> backend,
                   subject::Subject::RdpmcEmulator emulator,
                   std::optional<std::span<const ValidationEvent>> validation)
    : settings_(settings),
      run_limits_{settings.page_limit, settings.time_limit},
      // The thread is pinned first, because on hybrid machines all that follows depends on the
      // core.
      backend_((pin_to_processor(processor), std::move(backend))),
      clock_(backend_->clock()),
      protocol_(make_protocol(settings_, instruction_cache_size(), data_reach())),
      events_(settings_, *backend_, processor, validation),
      states_(settings_),
      control_settings_(settings_of_control(settings_)),
      control_states_(control_settings_),
      control_protocol_(make_protocol(control_settings_, instruction_cache_size(), data_reach())),
      known_(known_core()),
      workbench_(clock_, {*backend_, processor, events_.requests(), std::move(emulator),
                          protocol_->reads_clock_once(),
                          known_.nops() ? known_.nops()->bytes : kUsualNopBytes}),
      companions_(companions_of(workbench_, clock_, known_.nops(), settings_)),
      preparer_(settings_, *protocol_, workbench_, companions_, ledger_),
      control_preparer_(control_settings_, *control_protocol_, workbench_, companions_, ledger_),
      patience_(settings_.visit_patience) {
  EventCounting::check_names(workbench_);
  learn_the_core();
  ledger_.leave_out(subject_work());
}

/// How long nothing may have been learned of the clock and the canary. Over a tenth of a second, a
/// core's clock is near what it was; and to learn anew takes some 3 ms.
constexpr std::chrono::milliseconds kLongestUnlearned{100};

void Profiler::learn_the_core() {
  const auto make_plan = [this](const Block& block, Notion notion) {
    return std::get<Plan>(assay::make_plan(block, notion, settings_, instruction_cache_size()));
  };
  // If the canary's peak is not known, it takes longer to see the core undisturbed.
  calibrate(workbench_, companions_, run_limits_,
            std::chrono::milliseconds(known_.nops() ? 0 : 100));
  if (known_.own) {
    core_limits_ = *known_.own;
  } else {
    core_limits_ = measure_limits_of(workbench_, companions_, run_limits_, make_plan);
    // A core that is shared all the time seems slower than it is.
    if (known_.generation) core_limits_ = joined(core_limits_, *known_.generation);
  }
  events_.test_validation(workbench_, run_limits_, make_plan);
}

TrialBench Profiler::bench(const InitialStates& states, const Protocol& protocol,
                           const Preparer& preparer, int visit, bool counts_events) {
  return {support_,   states,      run_limits_, protocol, preparer, events_,      core_limits_,
          workbench_, companions_, patience_,   ledger_,  visit,    counts_events};
}

void Profiler::replace_subject() {
  workbench_.restart();
  subject_since_ = std::chrono::steady_clock::now();
}

TimeSpent Profiler::time_spent() const { return ledger_.spent(subject_work(), measure_tsc_rate()); }

Measurement Profiler::measure(const BlockSpec& spec, Notion notion, const Visit& visit) {
  const TimeLedger::Entry entry(ledger_, Activity::kDecode);
  ledger_.begin_block();
  if (visit.attempts != nullptr) visit.attempts->clear();
  patience_.begin_visit();
  const auto decoded = decode(spec.bytes);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    Measurement measurement;
    measurement.notion = notion;
    measurement.outcome = refusal->outcome;
    measurement.instructions = static_cast<std::int64_t>(refusal->instructions);
    return measurement;
  }
  const Block& block = std::get<Block>(decoded);
  const StateRequest own = state_request_from(spec.state);
  const bool needs_younger =
      visit.number > 1 &&
      std::chrono::steady_clock::now() - subject_since_ >= Visits::kShortestPause;
  if (patience_.take_new_subject() || needs_younger) replace_subject();
  const auto now = std::chrono::steady_clock::now();
  const bool was_idle = visit.number > 1 && now - busy_until_ >= Visits::kShortestPause / 2;
  if (was_idle || now - learned_until_ >= kLongestUnlearned) {
    calibrate_again(workbench_, companions_, run_limits_);
    learned_until_ = std::chrono::steady_clock::now();
  }
  const CyclesPerReading before = companions_.ratio().value();
  const std::int64_t taken_before = companions_.series_taken();
  // Readings lie in memory that a block may find and write to, in timed runs only if it can tell
  // them from others. So what the companions show beside a block that may do so is not learned for
  // other blocks.
  std::optional<Companions> unspoilt;
  const bool runs_code_first = !states_.usual().code.empty();
  if (block.writes_memory || runs_code_first) unspoilt = companions_;
  const TrialBench trial_bench = bench(states_, *protocol_, preparer_, visit.number, true);
  bool counted = false;
  bool was_killed = false;
  bool may_have_strayed = runs_code_first;
  const auto try_once = [&] {
    BlockTrials trials(trial_bench, block, notion, visit.last, visit.attempts, visit.copies);
    Measurement measurement = trials.run(own);
    if (trials.ratio()) ratio_ = trials.ratio();
    counted = trials.counted_events();
    may_have_strayed = may_have_strayed || trials.may_have_strayed();
    // What writes nothing unseen cannot lead the subject's program anywhere.
    const bool may_be_led = unspoilt && may_have_strayed;
    if (auto unexpected = may_be_led ? workbench_.subject().unexpected_mapping() : std::nullopt) {
      measurement.outcome = {Reason::kSubjectDamaged, *std::move(unexpected)};
      measurement.estimate.reset();
    }
    was_killed = workbench_.subject().was_killed();
    if (measurement.outcome.reason == Reason::kSubjectDamaged || was_killed) replace_subject();
    measurement.settled = protocol_->settles(measurement);
    return measurement;
  };
  Measurement measurement = try_once();
  const auto damaged = [&] { return measurement.outcome.reason == Reason::kSubjectDamaged; };
  constexpr int kMostKills = 4;
  for (int kills = 1; damaged() && was_killed && kills < kMostKills; ++kills) {
    measurement = try_once();
  }
  // Only if a second subject is damaged as well is it the block's doing.
  if (damaged() && !was_killed) measurement = try_once();
  const bool ended = damaged() && was_killed;
  if (ended) {
    measurement.outcome = {Reason::kInterference,
                           "somebody ended the processes that it ran in, one after the other"};
    measurement.settled = protocol_->settles(measurement);
  }
  const CyclesPerReading behind = companions_.ratio().value();
  if (unspoilt && may_have_strayed) {
    if (block.repeatable && !runs_code_first) unspoilt->take_scatter_of(companions_);
    companions_ = *std::move(unspoilt);
  } else if (companions_.series_taken() > taken_before) {
    learned_until_ = std::chrono::steady_clock::now();
  }
  if (visit.last == Stage::kJudge && !measurement.settled && !measurement.outcome.measured() &&
      !counted && !ended) {
    blame_moment_or_block(measurement, before, behind);
  }
  busy_until_ = std::chrono::steady_clock::now();
  return measurement;
}

/// Finds out by the control whether the moment is to blame for a measurement without a number.
/// `before` is the clock's ratio from before it, and `behind` the one that it came to.
void Profiler::blame_moment_or_block(Measurement& measurement, CyclesPerReading before,
                                     CyclesPerReading behind) {
  constexpr double kMoved = 0.01;
  Outcome& outcome = measurement.outcome;
  const bool blames_moment = outcome.reason == Reason::kInterference;
  bool calm = control_is_calm(measurement.notion);
  // The block may have slowed the core's clock down itself, as many wide multiplications do
  // (Granite Rapids: by 6 %), and the control sees it speed up again.
  const auto moved = [](CyclesPerReading from, CyclesPerReading to) {
    return std::abs(to.value() / from.value() - 1) > kMoved;
  };
  if (!calm && (moved(before, behind) || moved(before, companions_.ratio().value()))) {
    calibrate_again(workbench_, companions_, run_limits_);
    calm = control_is_calm(measurement.notion);
  }
  const bool needs_feeding = features().fed_instructions > 0 &&
                             measurement.notion == Notion::kUnrolled &&
                             outcome.reason == Reason::kNoSteadyState;
  if (calm && needs_feeding) calm = code_is_fed();
  if (calm != blames_moment) return;
  const std::string found = fmt::format("{}{}{}", name(outcome.reason),
                                        outcome.detail.empty() ? "" : ": ", outcome.detail);
  if (blames_moment) {
    outcome = {Reason::kUnstable,
               fmt::format("only beside this block the core seems disturbed ({})", found)};
  } else {
    outcome = {
        Reason::kInterference,
        fmt::format("a block that is always steady was disturbed too at that moment ({})", found)};
  }
}

/// Measures a block that is always steady, as the control of another one; adds what was tried.
Measurement Profiler::measure_control(const Block& block, Notion notion,
                                      std::vector<Attempt>& attempts) {
  const TrialBench own = bench(control_states_, *control_protocol_, control_preparer_, 1, false);
  patience_.begin_visit();  // the block may have used it up
  return BlockTrials(own, block, notion, Stage::kJudge, &attempts).run({});
}

/// Whether the core leaves a block alone now that is always steady.
bool Profiler::control_is_calm(Notion notion) {
  std::vector<Attempt> attempts;
  const Measurement control = measure_control(control_, notion, attempts);
  if (control.outcome.reason == Reason::kInterference || attempts.empty()) return false;
  const auto& evaluation = attempts.front().evaluation;
  return evaluation && was_left_alone(*evaluation);
}

/// Whether straight-line code that fills the micro-op cache takes now as long at its end as at its
/// start. Somebody on the same core who executes next to nothing may still take a part of the cache
/// away, which a control of few instructions in many copies does not show.
bool Profiler::code_is_fed() {
  std::vector<Attempt> attempts;
  measure_control(roomy_block(), Notion::kUnrolled, attempts);
  if (attempts.empty()) return false;
  const Reason reason = attempts.front().measurement.outcome.reason;
  return reason != Reason::kNoSteadyState && reason != Reason::kInterference;
}

}  // namespace assay
