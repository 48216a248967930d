#include "profiler/protocol/profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "profiler/block/error.h"
#include "profiler/block/text.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/tlb.h"
#include "profiler/protocol/judge.h"
#include "profiler/protocol/measured_limits.h"

namespace assay {
namespace {

using std::chrono::nanoseconds;
using subject::Fault;

// A run at the full size need not be longer: the clock's noise is small against it then.
constexpr double kLongRun = 8'000;  ///< core cycles
// On a core that stayed disturbed for as long as the settings' patience, the blocks that follow are
// given up soon, until it is undisturbed again.
constexpr nanoseconds kShortPatience = std::chrono::milliseconds(20);

// Places at which a block is measured in turn.
constexpr std::size_t kPlaces = 8;

// From where a block's kernels lie to where its traced copies do: more than the former take.
constexpr std::uint64_t kTraceDistance = 0x8'0000;

constexpr std::array<std::string_view, 6> kStageNames = {"decode", "plan",     "prepare",
                                                         "sample", "estimate", "judge"};

void stop_here(Measurement& measurement, Stage stage) {
  settle(measurement, Reason::kStopped,
         fmt::format("after {}", kStageNames.at(static_cast<std::size_t>(stage))));
}

/// "in copy 3 at offset 5 (mov rax, qword ptr [rbx])"; empty for an address outside the copies.
std::string describe_place(const std::optional<Kernel::Place>& place, const Block& block) {
  if (!place) return "";
  const auto found = std::ranges::find(block.instructions, place->offset, &Instruction::offset);
  std::string text;
  if (found != block.instructions.end()) {
    const auto first = block.bytes.begin() + static_cast<std::ptrdiff_t>(found->offset);
    text = fmt::format(" ({})",
                       text_of(Bytes(first, first + static_cast<std::ptrdiff_t>(found->length))));
  }
  return fmt::format("in copy {} at offset {}{}", place->copy + 1, place->offset, text);
}

/// Of the readings of the kernel that has this place in a round of `kernels`.
std::uint32_t least_of(std::span<const std::uint32_t> readings, std::size_t kernels,
                       std::size_t place) {
  std::uint32_t least = readings[place];
  for (std::size_t i = place; i < readings.size(); i += kernels) {
    least = std::min(least, readings[i]);
  }
  return least;
}

Estimator::Copies copies_of(const Plan& plan) {
  const auto copies = [&](std::size_t i) {
    return static_cast<double>(plan.sizes.at(i) * plan.body_copies);
  };
  return {copies(0), copies(1), copies(2)};
}

template <typename AnyKernel>
void settle_fault(Measurement& measurement, const Fault& fault, const AnyKernel& kernel,
                  const Block& block) {
  const std::string place = describe_place(kernel.locate(fault.registers.rip), block);
  const char* separator = place.empty() || fault.detail.empty() ? "" : ": ";
  settle(measurement, fault.reason, place + separator + fault.detail);
}

/// The settings' state, then all others that blocks may be tried under after it.
std::vector<InitialState> states_of(const Settings& settings) {
  const auto first = initial_state_named(settings.initial_state);
  if (!first) {
    throw InputError(fmt::format("no initial state is called '{}'", settings.initial_state));
  }
  std::vector<InitialState> states = {with_overrides(*first, settings.state_overrides)};
  if (!settings.fallback_states) return states;
  for (const std::string_view name : initial_state_names()) {
    if (name == settings.initial_state) continue;
    states.push_back(with_overrides(initial_state_named(name).value(), settings.state_overrides));
  }
  return states;
}

}  // namespace

std::optional<Stage> stage_named(std::string_view name) {
  const auto found = std::ranges::find(kStageNames, name);
  if (found == kStageNames.end()) return std::nullopt;
  return static_cast<Stage>(found - kStageNames.begin());
}

Profiler::Profiler(const Settings& settings, int processor)
    : settings_(settings),
      fixed_(fixed_protocol(settings)),
      // Pinned first: on hybrid machines all answers depend on the core.
      clock_((pin_to_processor(processor), probe_tsc())),
      cache_size_(instruction_cache_size()),
      data_tlb_entries_(data_tlb_entries()),
      states_(states_of(settings)),
      workbench_(clock_),
      limits_(limits_of(identify_machine().microarchitecture)) {
  const bool tested = limits_ && limits_->tested;
  if (tested) canary_ = Canary(limits_->additions_per_cycle);
  // Where the canary's peak is not known it takes longer to see the core undisturbed.
  calibrate(std::chrono::milliseconds(tested ? 0 : 100));
  if (limits_) return;
  limits_ =
      measure_limits([this](const Block& block, Notion notion) { return quickest(block, notion); });
}

/// What the reference and the canary do on this core, before anything is judged by them.
/// `least`: how long at least; longer until so many series were undisturbed that the ratio's error
/// is small against the sampling target, unless the core is never left alone.
void Profiler::calibrate(std::chrono::nanoseconds least) {
  constexpr int kUndisturbedSeries = 100;
  constexpr auto kMost = std::chrono::milliseconds(500);
  const Block nop = std::get<Block>(decode({0x90}));
  const InitialState state = bhive_initial_state();
  Work work{nop, state, Stage::kJudge, {}, {}};
  const Plan plan{Notion::kUnrolled, 1, {1, 2, 4}};
  load(work, plan, 1);
  const SeriesPlan series = calibration_series();
  Estimator estimator(series.round, {1, 2, 4}, clock_.granularity, canary_, ratio_,
                      settings_.series_slowdown);
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] { return std::chrono::steady_clock::now() - start; };
  while (elapsed() < least || (estimator.series() < kUndisturbedSeries && elapsed() < kMost)) {
    const auto result = workbench_.run(work.job(), series.round, series.rounds, limits());
    if (result.fault) {
      throw EnvironmentError("the clock's reference faults: " + result.fault->detail);
    }
    estimator.add_series(result.readings, result.preempted);
  }
}

/// Core cycles per copy of a block that needs no trace: of a few short tries the quickest, so that
/// one disturbed try does not matter.
std::optional<double> Profiler::quickest(const Block& block, Notion notion) {
  constexpr int kTries = 5;
  const InitialState state = distinct_initial_state();
  Work work{block, state, Stage::kEstimate, {}, {}};
  const auto plan = std::get<Plan>(make_plan(block, notion, settings_, cache_size_));
  RunTimes times;
  workbench_.subject().unmap_all();
  if (load(work, plan, 1) || prepare(work, times)) return std::nullopt;
  const SeriesPlan series_plan = calibration_series();
  std::optional<double> least;
  for (int i = 0; i < kTries; ++i) {
    Estimator estimator(series_plan.round, copies_of(plan), clock_.granularity, canary_, ratio_,
                        settings_.series_slowdown);
    for (int j = 0; j < kFewestSeries; ++j) {
      const SampledSeries series = sample_once(work, series_plan, 0);
      if (series.fault) return std::nullopt;
      estimator.add_series(series.readings, series.preempted);
    }
    if (estimator.series() < kFewestSeries) continue;
    const double cycles = estimator.estimate().cycles;
    least = std::min(least.value_or(cycles), cycles);
  }
  return least;
}

Measurement Profiler::measure(const Bytes& bytes, Notion notion, Stage last) {
  attempts_.clear();
  waited_ = {};
  const auto decoded = decode(bytes);
  if (const auto* refusal = std::get_if<Refusal>(&decoded)) {
    Measurement measurement;
    measurement.notion = notion;
    settle(measurement, refusal->reason, refusal->detail);
    measurement.instructions = static_cast<std::int64_t>(refusal->instructions);
    return measurement;
  }
  const Block& block = std::get<Block>(decoded);
  if (replace_subject_) workbench_.restart();
  replace_subject_ = false;
  Measurement measurement = measure_block(block, notion, last);
  if (measurement.reason == Reason::kSubjectDamaged) {
    // Somebody else may have ended it (a user, the system short of memory): only a second time,
    // in a new one, is it the block's doing.
    workbench_.restart();
    measurement = measure_block(block, notion, last);
    if (measurement.reason == Reason::kSubjectDamaged) workbench_.restart();
  }
  return measurement;
}

/// Under the settings' state; if it fails there, under those that may help. The first outcome
/// stands if none does.
Measurement Profiler::measure_block(const Block& block, Notion notion, Stage last) {
  Measurement common;
  common.notion = notion;
  common.instructions = static_cast<std::int64_t>(block.instructions.size());
  stop_here(common, last);
  if (last == Stage::kDecode) return common;
  const auto planned = fixed_ ? plan_fixed(*fixed_, block, notion, settings_, cache_size_)
                              : make_plan(block, notion, settings_, cache_size_);
  if (const auto* refusal = std::get_if<Refusal>(&planned)) {
    settle(common, refusal->reason, refusal->detail);
    return common;
  }
  const Plan& plan = std::get<Plan>(planned);
  common.copies = plan.copies();
  if (last == Stage::kPlan) return common;

  Work work{block, states_.front(), last, {}, {}};
  const Measurement first = attempt(work, plan, common);
  for (const std::string_view name : fallback_states(first.reason)) {
    const auto state = std::ranges::find(states_, name, &InitialState::name);
    if (state == states_.end() || state == states_.begin()) continue;
    Work other{block, *state, last, {}, {}};
    const Measurement next = attempt(other, plan, common);
    if (fallback_states(next.reason).empty()) return next;
  }
  return first;
}

Measurement Profiler::attempt(Work& work, Plan plan, const Measurement& common) {
  workbench_.subject().unmap_all();
  std::optional<Measurement> judged;
  for (;;) {
    Attempt& current = attempts_.emplace_back();
    current.initial_state = work.state.name;
    current.plan = plan;
    current.outcome = common;
    run(work, current);
    // A larger n may come to a limit that the block itself does not: what was found before stands.
    if (judged && !current.outcome.estimate && current.outcome.reason != Reason::kInterference) {
      return *judged;
    }
    judged = current.outcome;
    // Both come from a start that lasts longer than n copies.
    const bool transient = current.outcome.reason == Reason::kNoSteadyState ||
                           current.outcome.reason == Reason::kBelowLimit;
    const auto larger = fixed_ ? std::nullopt : raised(current.plan);
    if (!transient || !larger) return *judged;
    plan = *larger;
  }
}

/// One initial state, one plan: from prepare on.
void Profiler::run(Work& work, Attempt& attempt) {
  Measurement& outcome = attempt.outcome;
  const auto stop_at_fault = [&](const Fault& fault) {
    settle_fault(outcome, fault, work, work.block);
    outcome.pages = workbench_.subject().pages();
  };
  outcome.initial_state = work.state.name;
  if (const auto refusal = load(work, attempt.plan, 1)) {
    settle(outcome, refusal->reason, refusal->detail);
    return;
  }
  if (!trace(work, attempt)) return;
  RunTimes times;
  if (const auto fault = prepare(work, times)) return stop_at_fault(*fault);
  if (attempt.plan.raised == 0 && !fixed_) {
    if (const auto fault = fit_to_frames(work, attempt, times)) return stop_at_fault(*fault);
    if (times.full > kLongRun) {
      attempt.plan = shortened(attempt.plan, work.block, kLongRun / times.full);
      load(work, attempt.plan, 1);
      if (const auto fault = prepare(work, times)) return stop_at_fault(*fault);
    }
  }
  outcome.copies = attempt.plan.copies();
  outcome.pages = workbench_.subject().pages();
  if (!judge_trace(work, attempt) || work.last == Stage::kPrepare) return;
  if (fixed_) {
    if (const auto fault = run_fixed(work, times, attempt)) stop_at_fault(*fault);
    return;
  }

  if (const auto refusal = load(work, attempt.plan, kPlaces)) {
    settle(outcome, refusal->reason, refusal->detail);
    return;
  }
  const double clock_step = clock_.granularity * ratio_.cycles_per_tick();
  const SeriesPlan series = plan_series(attempt.plan, times, clock_step, settings_);
  Estimator estimator(series.round, copies_of(attempt.plan), clock_.granularity, canary_, ratio_,
                      settings_.series_slowdown);
  std::optional<Fault> fault;
  sample(work, series, estimator, fault);
  attempt.series.assign(estimator.points().begin(), estimator.points().end());
  if (fault) return stop_at_fault(*fault);
  outcome.pages = workbench_.subject().pages();
  if (work.last == Stage::kSample) return;
  conclude(work, estimator, attempt);
}

std::optional<Kernel::Place> Profiler::Work::locate(std::uint64_t address) const {
  for (const Kernel& kernel : kernels) {
    if (const auto place = kernel.locate(address)) return place;
  }
  return std::nullopt;
}

/// At so many places, one behind the other, which lie differently in all that is chosen by a part
/// of an instruction's address: sets of caches and predictors. Some blocks take a few per cent more
/// time at one place than at another.
std::optional<Refusal> Profiler::load(Work& work, const Plan& plan, std::size_t places) {
  std::uint64_t address = workbench_.block_address();
  work.kernels.clear();
  while (work.kernels.size() < places) {
    auto made = plan.notion == Notion::kLooped
                    ? loop(work.block, plan.body_copies, plan.sizes, work.state, address)
                    : unroll(work.block, plan.sizes, work.state, address);
    if (auto* refusal = std::get_if<Refusal>(&made)) return *refusal;
    work.kernels.push_back(std::get<Kernel>(std::move(made)));
    workbench_.load(work.kernels.back());
    address = Workbench::behind(work.kernels.back());
  }
  return std::nullopt;
}

/// Runs the traced copies. False if that settled the outcome.
bool Profiler::trace(Work& work, Attempt& attempt) {
  Measurement& outcome = attempt.outcome;
  const auto made =
      trace_kernel(work.block, work.state, workbench_.block_address() + kTraceDistance);
  if (const auto* refusal = std::get_if<Refusal>(&made)) {
    settle(outcome, refusal->reason, refusal->detail);
    return false;
  }
  const TracedKernel& kernel = std::get<TracedKernel>(made);
  TraceRun result = run_trace(workbench_.subject(), kernel, work.block, work.state, limits());
  outcome.pages = workbench_.subject().pages();
  if (result.fault) {
    settle_fault(outcome, *result.fault, kernel, work.block);
    return false;
  }
  attempt.trace = std::move(result.trace);
  work.writes.clear();
  for (const TracedAccess& access : attempt.trace.accesses) {
    if (access.write) work.writes.push_back({access.address, access.size});
    workbench_.subject().map_if_possible(access.address, limits());
    workbench_.subject().map_if_possible(access.address + access.size - 1, limits());
  }
  attempt.trace_conditions = {0, data_tlb_entries_, work.state.frames, kernel.home,
                              work.block.bytes.size()};
  return true;
}

/// What the trace means, now that all pages are known. False if that settled the outcome.
bool Profiler::judge_trace(const Work& work, Attempt& attempt) {
  Measurement& outcome = attempt.outcome;
  attempt.trace_conditions.pages = workbench_.subject().pages();
  attempt.findings = analyse(attempt.trace, attempt.trace_conditions);
  const TraceFindings& findings = attempt.findings;
  outcome.traits = findings.traits | work.block.traits;
  if (findings.intrusion) {
    settle(outcome, findings.intrusion->reason, describe(*findings.intrusion, work.block));
    return false;
  }
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (!outcome.traits.has(trait) || !settings_.reject.has(trait)) continue;
    const auto found = std::ranges::find(findings.findings, trait, &Finding::trait);
    settle(outcome, reason_named(name(trait)).value(),
           found == findings.findings.end()
               ? ""
               : describe(*found, work.block, attempt.trace_conditions));
    return false;
  }
  return true;
}

/// Runs all sizes until they run without missing a page; `times` is how long they took then.
std::optional<Fault> Profiler::prepare(const Work& work, RunTimes& times) {
  // The largest comes last: all that it writes to is to be seen then.
  Round all_sizes = {{Slot::kQuarter, true}, {Slot::kHalf, true}, {Slot::kFull, true}};
  if (work.kernels.front().entries.size() == 2) all_sizes.erase(all_sizes.begin());
  // An interrupt in one of these runs is not to decide the plan.
  constexpr std::uint32_t kTimes = 3;
  for (;;) {  // every turn but the last maps pages, of which there is a limit
    const auto result = workbench_.run(work.job(), all_sizes, kTimes, limits());
    if (result.fault) return result.fault;
    if (result.pages_mapped > 0 || result.stale) continue;
    workbench_.subject().narrow_refills(work.writes);
    times = {least_of(result.readings, all_sizes.size(), 0) * ratio_.cycles_per_tick(),
             least_of(result.readings, all_sizes.size(), all_sizes.size() - 1) *
                 ratio_.cycles_per_tick()};
    return std::nullopt;
  }
}

/// A block that walks through memory comes to more pages than there are frames, and back to the
/// first frame through another page: a first-level cache that predicts its way from the virtual
/// address misses then. Fewer copies may come to so few pages that each has a frame of its own.
std::optional<Fault> Profiler::fit_to_frames(Work& work, Attempt& attempt, RunTimes& times) {
  subject::Subject& subject = workbench_.subject();
  const double share = 0.9 * work.state.frames / std::max(subject.pages(), 1);
  const Plan shorter = shortened(attempt.plan, work.block, share);
  if (subject.pages() <= work.state.frames || shorter.sizes == attempt.plan.sizes)
    return std::nullopt;
  load(work, shorter, 1);
  subject.unmap_all();
  const auto fault = prepare(work, times);
  if (fault || subject.pages() <= work.state.frames) {
    attempt.plan = shorter;
    return fault;
  }
  load(work, attempt.plan, 1);
  return prepare(work, times);
}

SamplingEnd Profiler::sample(const Work& work, const SeriesPlan& series, Estimator& estimator,
                             std::optional<Fault>& fault) {
  std::size_t turn = 0;
  Sampler sampler(settings_, {[&] { return sample_once(work, series, turn++ % kPlaces); },
                              std::chrono::steady_clock::now, waiting_});
  const SamplingEnd end = sampler.run(estimator, patience());
  waited_ += sampler.waited();
  fault = sampler.fault();
  note_sampling(end, estimator.points());
  return end;
}

nanoseconds Profiler::patience() const {
  const nanoseconds whole = patient_ ? nanoseconds(settings_.patience) : kShortPatience;
  return std::max(whole - waited_, nanoseconds(0));
}

/// Counts the series, and learns how patient to be with the blocks that follow.
void Profiler::note_sampling(SamplingEnd end, std::span<const SeriesPoint> points) {
  bool any_taken = false;
  for (const SeriesPoint& point : points) {
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

SampledSeries Profiler::sample_once(const Work& work, const SeriesPlan& series, std::size_t place) {
  for (;;) {  // a block may touch a page that it did not touch before: bounded by the page limit
    const auto result = workbench_.run(work.job(place), series.round, series.rounds, limits());
    if (result.fault) return {result.fault, {}, false};
    if (result.pages_mapped == 0 && !result.stale) {
      return {std::nullopt, result.readings, result.preempted};
    }
  }
}

void Profiler::conclude(const Work& work, const Estimator& estimator, Attempt& attempt) {
  Measurement& outcome = attempt.outcome;
  if (estimator.series() < kFewestSeries) {  // only an exhausted patience ends sampling so early
    settle(outcome, Reason::kInterference,
           fmt::format("{} undisturbed series of {}", estimator.series(), kFewestSeries));
    return;
  }
  outcome.estimate = estimator.estimate();
  core_cycles_per_tick_ = estimator.core_cycles_per_tick();
  attempt.steadiness = estimator.steadiness();
  attempt.slowdown = estimator.slowdown();
  attempt.floor = floor_of(demand_of(work.block, attempt.plan), *limits_) /
                  static_cast<double>(attempt.plan.body_copies);
  if (work.last != Stage::kJudge) return;
  judge(outcome, {attempt.slowdown, attempt.floor, *attempt.steadiness}, settings_);
}

}  // namespace assay
