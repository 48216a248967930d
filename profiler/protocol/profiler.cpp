#include "profiler/protocol/profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "profiler/counters/tsc.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/stand_in.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/measured_limits.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;
using subject::Fault;

// On a core that stayed disturbed for as long as the settings' patience, the blocks that follow are
// given up soon, until it is undisturbed again.
constexpr nanoseconds kShortPatience = std::chrono::milliseconds(20);

constexpr std::array<std::string_view, 6> kStageNames = {"decode", "plan",     "prepare",
                                                         "sample", "estimate", "judge"};

void stop_here(Measurement& measurement, Stage stage) {
  measurement.outcome = {Reason::kStopped,
                         fmt::format("after {}", kStageNames.at(static_cast<std::size_t>(stage)))};
}

/// What a block in steady state must not cause, as far as it can be counted here.
std::vector<ValidationEvent> validation_of(const Settings& settings, CounterBackend& backend,
                                           int processor,
                                           std::optional<std::span<const ValidationEvent>> given) {
  if (!settings.validation) return {};
  return countable(backend, processor,
                   given ? *given : validation_events(identify_machine().microarchitecture));
}

/// The settings' events, and behind them those to judge by that are not among them already.
std::vector<CountedRequest> requests_of(const Settings& settings,
                                        std::span<const ValidationEvent> validation,
                                        const CounterBackend& backend) {
  std::vector<CountedRequest> requests;
  for (const EventRequest& event : settings.events) requests.push_back({event, ""});
  for (const ValidationEvent& event : validation) {
    const std::string specification(event.specification);
    const EventRequest own = {specification, specification, false};
    const auto same = std::ranges::find_if(requests, [&](const CountedRequest& other) {
      return backend.same_event(own, other.request);
    });
    if (same == requests.end()) {
      requests.push_back({own, specification});
    } else {
      same->validates = specification;
    }
  }
  return requests;
}

std::vector<EventRequest> plain(const std::vector<CountedRequest>& counted) {
  std::vector<EventRequest> requests;
  for (const CountedRequest& each : counted) requests.push_back(each.request);
  return requests;
}

/// Counts of one name could not be told apart.
void refuse_equal_names(const Workbench& workbench) {
  std::set<std::string> names;
  for (std::size_t i = 1; i < workbench.groups(); ++i) {
    for (const std::string& name : workbench.group(i).names().subspan(1)) {
      if (names.insert(name).second) continue;
      throw InputError(
          fmt::format("two events are called '{}': give one of them another name "
                      "(cpu/...,name=OTHER/)",
                      name));
    }
  }
}

/// The profile that is asked for, or else the settings', with the settings' values and then those
/// that are asked for in place of its own. It is called by the text of all that.
InitialState state_of(const Settings& settings, const StateRequest& request) {
  StateRequest whole = request;
  if (whole.profile.empty()) whole.profile = settings.initial_state;
  const auto profile = initial_state_named(whole.profile);
  if (!profile) throw InputError(fmt::format("no initial state is called '{}'", whole.profile));
  whole.overrides = settings.state_overrides;
  const auto& own = request.overrides;
  whole.overrides.registers.insert(whole.overrides.registers.end(), own.registers.begin(),
                                   own.registers.end());
  if (own.memory_word) whole.overrides.memory_word = own.memory_word;
  InitialState state = with_overrides(*profile, whole.overrides);
  state.name = to_text(whole);
  return state;
}

/// Whether both plans run the same copies of code, to the same end.
bool runs_same_copies(const Plan& one, const Plan& other) {
  return one.notion == Notion::kUnrolled && one.sizes.back() == other.sizes.back();
}

/// What preparing a block under one plan tells of it under another that runs the same copies.
Attempt prepared_as(const Attempt& before, const Plan& plan) {
  Attempt attempt;
  attempt.trace = before.trace;
  attempt.trace_conditions = before.trace_conditions;
  const auto size = [](const Plan& any, std::size_t i) {
    return static_cast<double>(any.sizes[i]);
  };
  const double share = (size(plan, 0) - size(before.plan, 0)) /
                       (size(before.plan, before.plan.sizes.size() - 1) - size(before.plan, 0));
  const RunTimes& times = before.times;
  attempt.times = {times.quarter + share * (times.full - times.quarter), times.full};
  return attempt;
}

Measurement refused(const Refusal& refusal, Notion notion) {
  Measurement measurement;
  measurement.notion = notion;
  measurement.outcome = refusal.outcome;
  measurement.instructions = static_cast<std::int64_t>(refusal.instructions);
  return measurement;
}

}  // namespace

std::optional<Stage> stage_named(std::string_view name) {
  const auto found = std::ranges::find(kStageNames, name);
  if (found == kStageNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kStageNames.begin());
}

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
      fixed_(fixed_protocol(settings)),
      // Pinned first: on hybrid machines all answers depend on the core.
      backend_((pin_to_processor(processor), std::move(backend))),
      validation_(validation_of(settings, *backend_, processor, validation)),
      requests_(requests_of(settings, validation_, *backend_)),
      clock_(backend_->clock()),
      cache_size_(instruction_cache_size()),
      data_tlb_entries_(data_tlb_entries()),
      state_(state_of(settings, {})),
      // The other tools' clocks are read once; what their rules make of a reading rests on that.
      workbench_(clock_,
                 {*backend_, processor, plain(requests_), std::move(emulator), fixed_.has_value()}),
      limits_(limits_of(identify_machine().microarchitecture)),
      ticks_per_second_(probe_tsc().ticks_per_second) {
  refuse_equal_names(workbench_);
  const bool tested = limits_ && limits_->tested;
  if (tested) canary_ = Canary(limits_->additions_per_cycle);
  // Where the canary's peak is not known it takes longer to see the core undisturbed.
  calibrate(std::chrono::milliseconds(tested ? 0 : 100));
  if (!limits_) {
    limits_ = measure_limits(
        [this](const Block& block, Notion notion) { return quickest(block, notion); });
  }
  if (!validation_.empty()) test_validation();
  ticks_before_ = workbench_.series_ticks();
  stops_before_ = workbench_.stops();
}

TimeSpent Profiler::time_spent() const {
  const std::chrono::duration<double> series(
      static_cast<double>(workbench_.series_ticks() - ticks_before_) / ticks_per_second_);
  return {ledger_.spent(), std::chrono::duration_cast<nanoseconds>(series), blocks_,
          workbench_.stops() - stops_before_};
}

Measurement Profiler::measure(const BlockSpec& spec, Notion notion, Stage last) {
  const TimeLedger::Entry entry(ledger_, Activity::kDecode);
  ++blocks_;
  attempts_.clear();
  waited_ = {};
  const auto decoded = decode(spec.bytes);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) return refused(*refusal, notion);
  const Block& block = std::get<Block>(decoded);
  const StateRequest own = state_request_from(spec.state);
  if (replace_subject_) workbench_.restart();
  replace_subject_ = false;
  Measurement measurement = measure_block(block, notion, last, own);
  if (measurement.outcome.reason == Reason::kSubjectDamaged) {
    // Somebody else may have ended it (a user, the system short of memory): only a second time,
    // in a new one, is it the block's doing.
    workbench_.restart();
    measurement = measure_block(block, notion, last, own);
    if (measurement.outcome.reason == Reason::kSubjectDamaged) workbench_.restart();
  }
  return measurement;
}

/// Under its own state, or else the settings'; if it fails there, under those that may help. The
/// first outcome stands if none does.
Measurement Profiler::measure_block(const Block& block, Notion notion, Stage last,
                                    const StateRequest& own) {
  Measurement common;
  common.notion = notion;
  common.instructions = static_cast<std::int64_t>(block.instructions.size());
  stop_here(common, last);
  if (const auto refusal = refuse_stand_ins(block, support_)) {
    common.outcome = *refusal;
    return common;
  }
  if (last == Stage::kDecode) return common;
  const auto planned = fixed_ ? plan_fixed(*fixed_, block, notion, settings_, cache_size_)
                              : make_plan(block, notion, settings_, cache_size_);
  if (const auto* refusal = std::get_if<Outcome>(&planned)) {
    common.outcome = *refusal;
    return common;
  }
  const Plan& plan = std::get<Plan>(planned);
  common.copies = plan.copies();
  if (last == Stage::kPlan) return common;

  if (!own.empty()) {
    const InitialState state = state_of(settings_, own);
    LoadedBlock loaded(workbench_, block, state, limits());
    return attempt(loaded, plan, common, last);
  }
  LoadedBlock loaded(workbench_, block, state_, limits());
  const Measurement first = attempt(loaded, plan, common, last);
  if (!settings_.fallback_states) return first;
  for (const std::string_view profile : fallback_states(first.outcome.reason)) {
    if (profile == settings_.initial_state) continue;
    const InitialState state = state_of(settings_, {std::string(profile), {}});
    LoadedBlock other(workbench_, block, state, limits());
    const Measurement next = attempt(other, plan, common, last);
    if (fallback_states(next.outcome.reason).empty()) return next;
  }
  return first;
}

Measurement Profiler::attempt(LoadedBlock& loaded, Plan plan, const Measurement& common,
                              Stage last) {
  workbench_.subject().unmap_all();
  std::optional<Attempt> judged;
  for (;;) {
    Attempt current;
    const bool prepared = judged && runs_same_copies(judged->plan, plan);
    if (prepared) current = prepared_as(*judged, plan);
    current.initial_state = loaded.state().name;
    current.plan = plan;
    current.measurement = common;
    run(loaded, last, prepared, attempts_.emplace_back(std::move(current)));
    const Measurement& measurement = attempts_.back().measurement;
    // A larger n may come to a limit that the block itself does not: what was found before stands.
    if (judged && !measurement.estimate && measurement.outcome.reason != Reason::kInterference) {
      return judged->measurement;
    }
    judged = attempts_.back();
    // Both come from a start that lasts longer than n copies.
    const bool transient = measurement.outcome.reason == Reason::kNoSteadyState ||
                           measurement.outcome.reason == Reason::kBelowLimit;
    const auto larger = fixed_ ? std::nullopt : raised(judged->plan);
    if (!transient || !larger) return measurement;
    plan = *larger;
  }
}

/// One initial state, one plan: from prepare on, unless that was done with another plan.
void Profiler::run(LoadedBlock& loaded, Stage last, bool prepared, Attempt& attempt) {
  Measurement& measurement = attempt.measurement;
  const TimeLedger::Entry entry(ledger_, Activity::kEmit);
  measurement.initial_state = loaded.state().name;
  if (!prepared && !make_ready(loaded, attempt)) return;
  measurement.copies = attempt.plan.copies();
  measurement.pages = workbench_.subject().pages();
  if (!judge_trace(loaded.block(), attempt) || last == Stage::kPrepare) return;
  auto fault = fixed_ ? run_fixed(loaded, last, attempt) : run_own(loaded, last, attempt);
  // What disturbed the core would be counted too.
  const bool counts =
      measurement.estimate && measurement.estimate->cycles > 0 && last == Stage::kJudge &&
      measurement.outcome.reason != Reason::kInterference && workbench_.groups() > 1;
  if (!fault && counts) fault = count_events(loaded, attempt);
  if (fault) stop_at_fault(loaded, *fault, measurement);
}

/// A prepared block under assay's own protocol, from sampling on.
std::optional<Fault> Profiler::run_own(LoadedBlock& loaded, Stage last, Attempt& attempt) {
  Measurement& measurement = attempt.measurement;
  if (const auto refusal = loaded.load(attempt.plan, kPlaces)) {
    measurement.outcome = *refusal;
    return std::nullopt;
  }
  const TimeLedger::Entry entry(ledger_, Activity::kJudge);
  const double clock_step = clock_.granularity * ratio_.cycles_per_tick();
  const SeriesPlan series =
      plan_series(attempt.plan, attempt.times, clock_step, settings_, workbench_.group(0).method());
  Estimator estimator(series.round, copies_of(attempt.plan), workbench_.step(), canary_, ratio_,
                      settings_.series_slowdown);
  Sampler sampler(settings_, {[&] {
                                const TimeLedger::Entry sampling(ledger_, Activity::kSample);
                                return loaded.sample(series);
                              },
                              std::chrono::steady_clock::now, waiting_});
  const SamplingEnd end = sampler.run(estimator, patience());
  waited_ += sampler.waited();
  note_sampling(end, estimator.points());
  note_points(attempt, estimator.points());
  if (sampler.fault()) return sampler.fault();
  measurement.pages = workbench_.subject().pages();
  if (last != Stage::kSample) conclude(loaded.block(), estimator, last, attempt);
  return std::nullopt;
}

/// A reading is the sum of some stamps, and its unit a part of a tick.
void Profiler::note_points(Attempt& attempt, std::span<const SeriesPoint> points) const {
  attempt.series.assign(points.begin(), points.end());
  for (SeriesPoint& point : attempt.series) {
    point.ratio *= workbench_.stamps();
    point.own_ratio *= workbench_.stamps();
  }
}

nanoseconds Profiler::patience() const {
  const nanoseconds whole = patient_ ? nanoseconds(settings_.patience) : kShortPatience;
  return std::max(whole - waited_, nanoseconds(0));
}

/// Counts the series, and learns how patient to be with the blocks that follow.
void Profiler::note_sampling(SamplingEnd end, std::span<const SeriesPoint> points) {
  bool any_taken = false;
  for (const SeriesPoint& point : points) {
    if (point.place > 0) continue;  // of the same series
    ++series_;
    const bool taken = point.fate == SeriesFate::kTaken;
    if (!taken) ++disturbed_series_;
    any_taken |= taken;
  }
  if (end == SamplingEnd::kPatience) {
    // It may be the process and not a neighbour: one whose code lies badly in the caches stays
    // slow.
    replace_subject_ = patient_;
    patient_ = false;
  } else if (any_taken) {
    patient_ = true;
  }
}

void Profiler::conclude(const Block& block, const Estimator& estimator, Stage last,
                        Attempt& attempt) {
  Measurement& measurement = attempt.measurement;
  if (estimator.count() < kFewestPoints) {  // only an exhausted patience ends sampling so early
    measurement.outcome = {Reason::kInterference, "no series of runs was left undisturbed"};
    return;
  }
  measurement.estimate = estimator.estimate();
  core_cycles_per_tick_ = estimator.core_cycles_per_tick() * workbench_.stamps();
  attempt.steadiness = estimator.steadiness();
  attempt.slowdown = estimator.slowdown();
  attempt.floor = floor_of(attempt.plan, block, *limits_);
  if (last != Stage::kJudge) return;
  judge(measurement, {attempt.slowdown, attempt.floor, *attempt.steadiness}, settings_);
}

}  // namespace assay
