#include "profiler/protocol/profiler.h"

#include <fmt/format.h>

#include <utility>

#include "profiler/counters/tsc.h"
#include "profiler/machine/identity.h"
#include "profiler/machine/processor.h"
#include "profiler/machine/stand_in.h"
#include "profiler/protocol/assay_plan.h"
#include "profiler/protocol/calibration.h"
#include "profiler/protocol/protocols.h"
#include "profiler/protocol/trial.h"
#include "profiler/support/error.h"

namespace assay {
namespace {

Outcome stopped_after(Stage stage) {
  return {Reason::kStopped, fmt::format("after {}", name(stage))};
}

Companions companions_of(const Workbench& workbench, const Clock& clock,
                         const std::optional<MachineLimits>& limits, const Settings& settings) {
  const bool tested = limits && limits->tested;
  std::optional<CyclesPerReading> ratio;
  if (clock.cycles_per_tick) ratio = per_reading(*clock.cycles_per_tick, workbench.stamps());
  return {workbench.step(),
          Canary(tested ? std::optional(limits->additions_per_cycle) : std::nullopt),
          ClockRatio(ratio), settings.series_slowdown};
}

}  // namespace

/// One block under one notion, on its way through the stages.
class Profiler::Course {
 public:
  /// Tries of the block are appended to `attempts`, unless that is null.
  Course(Profiler& profiler, const Block& block, Notion notion, Stage last,
         std::vector<Attempt>* attempts)
      : profiler_(profiler), block_(block), last_(last), attempts_(attempts) {
    measurement_.notion = notion;
    measurement_.instructions = static_cast<std::int64_t>(block.instructions.size());
    measurement_.outcome = stopped_after(last);
  }

  /// Measures the block under its own state or, if it has none, under the settings' state; if it
  /// fails under that, under the fallback states. If none of those helps, the first outcome stands.
  Measurement run(const StateRequest& own) {
    if (!plan() || last_ <= Stage::kPlan) return measurement_;
    const InitialStates& states = profiler_.states_;
    if (!own.empty()) return run_under(states.with(own));
    const Measurement first = run_under(states.usual());
    for (const InitialState& state : states.after(first.outcome.reason)) {
      const Measurement next = run_under(state);
      // An outcome that no other state would change means that the block ran under this one.
      if (fallback_states(next.outcome.reason).empty()) return next;
    }
    return first;
  }

 private:
  /// Plans the block. Returns false, with the reason in the measurement, if there is no plan.
  bool plan() {
    if (auto refusal = refuse_stand_ins(block_, profiler_.support_)) return end_with(*refusal);
    if (last_ == Stage::kDecode) return true;
    auto planned = profiler_.protocol_->plan(block_, measurement_.notion);
    if (auto* refusal = std::get_if<Outcome>(&planned)) return end_with(*refusal);
    plan_ = std::get<Plan>(std::move(planned));
    measurement_.copies = plan_.fewest_copies().count();
    return true;
  }

  bool end_with(const Outcome& outcome) {
    measurement_.outcome = outcome;
    return false;
  }

  /// Tries the block under one initial state, and under larger plans as long as they may help.
  Measurement run_under(const InitialState& state) {
    Profiler& profiler = profiler_;
    const TrialBench bench = {*profiler.protocol_, profiler.preparer_,  profiler.events_,
                              profiler.limits_,    profiler.workbench_, profiler.companions_,
                              profiler.patience_,  profiler.ledger_};
    LoadedBlock loaded(profiler.workbench_, block_, state, profiler.limits());
    profiler.workbench_.subject().unmap_all();
    Attempt attempt = Trial(bench, loaded, measurement_).run(plan_, last_);
    for (;;) {
      note(attempt);
      const Measurement before = attempt.measurement;
      Plan smaller = attempt.prepared.plan;
      const auto larger = profiler.protocol_->raised(smaller, before.outcome.reason);
      if (!larger) return before;
      auto prepared = std::move(attempt.prepared).under(*larger);
      Trial trial(bench, loaded, measurement_);
      attempt = prepared ? trial.run(std::move(*prepared), last_) : trial.run(*larger, last_);
      // A larger n may reach a limit that the block itself does not: then what was found before
      // stands.
      const Measurement& found = attempt.measurement;
      if (!attempt.evaluation && found.outcome.reason != Reason::kInterference) {
        note(attempt);
        return before;
      }
    }
  }

  void note(const Attempt& attempt) {
    if (const auto& evaluation = attempt.evaluation) {
      profiler_.ratio_ = per_tick(evaluation->ratio, attempt.stamps);
    }
    if (attempts_ != nullptr) attempts_->push_back(attempt);
  }

  Profiler& profiler_;
  const Block& block_;
  Stage last_;
  std::vector<Attempt>* attempts_;
  Measurement measurement_;  ///< what is known of the block before any trial
  Plan plan_;
};

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
      // The thread is pinned first, because on hybrid machines all that follows depends on the
      // core.
      backend_((pin_to_processor(processor), std::move(backend))),
      clock_(backend_->clock()),
      protocol_(make_protocol(settings_, instruction_cache_size())),
      events_(settings_, *backend_, processor, validation),
      states_(settings_),
      workbench_(clock_, {*backend_, processor, events_.requests(), std::move(emulator),
                          protocol_->reads_clock_once()}),
      table_limits_(limits_of(identify_machine().microarchitecture)),
      companions_(companions_of(workbench_, clock_, table_limits_, settings_)),
      preparer_(settings_, *protocol_, workbench_, companions_, ledger_),
      patience_(settings_.patience),
      ticks_per_second_(probe_tsc().ticks_per_second) {
  EventCounting::check_names(workbench_);
  learn_the_core();
  ticks_before_ = workbench_.series_ticks();
  stops_before_ = workbench_.stops();
}

void Profiler::learn_the_core() {
  const auto make_plan = [this](const Block& block, Notion notion) {
    return std::get<Plan>(assay::make_plan(block, notion, settings_, instruction_cache_size()));
  };
  // If the canary's peak is not known, it takes longer to see the core undisturbed.
  const bool tested = table_limits_ && table_limits_->tested;
  calibrate(workbench_, companions_, limits(), std::chrono::milliseconds(tested ? 0 : 100));
  limits_ = table_limits_ ? *table_limits_
                          : measure_limits_of(workbench_, companions_, limits(), make_plan);
  events_.test_validation(workbench_, limits(), make_plan);
}

TimeSpent Profiler::time_spent() const {
  const std::chrono::duration<double> series(
      static_cast<double>(workbench_.series_ticks() - ticks_before_) / ticks_per_second_);
  return {ledger_.spent(), std::chrono::duration_cast<std::chrono::nanoseconds>(series), blocks_,
          workbench_.stops() - stops_before_};
}

Measurement Profiler::measure(const BlockSpec& spec, Notion notion, Stage last,
                              std::vector<Attempt>* attempts) {
  const TimeLedger::Entry entry(ledger_, Activity::kDecode);
  ++blocks_;
  if (attempts != nullptr) attempts->clear();
  patience_.begin_block();
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
  if (patience_.take_new_subject()) workbench_.restart();
  const auto damaged = [](const Measurement& measurement) {
    return measurement.outcome.reason == Reason::kSubjectDamaged;
  };
  Measurement measurement = Course(*this, block, notion, last, attempts).run(own);
  if (damaged(measurement)) {
    // Something else may have ended the subject (a user, the system short of memory). Only if a
    // second one is damaged as well is it the block's doing.
    workbench_.restart();
    measurement = Course(*this, block, notion, last, attempts).run(own);
    if (damaged(measurement)) workbench_.restart();
  }
  return measurement;
}

}  // namespace assay
