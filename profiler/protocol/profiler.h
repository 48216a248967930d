#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "profiler/block/block_spec.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/clock.h"
#include "profiler/counting/event_counting.h"
#include "profiler/machine/instruction_support.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/settings.h"
#include "profiler/protocol/attempt.h"
#include "profiler/protocol/control.h"
#include "profiler/protocol/initial_states.h"
#include "profiler/protocol/patience.h"
#include "profiler/protocol/preparation.h"
#include "profiler/protocol/protocol.h"
#include "profiler/protocol/stage.h"
#include "profiler/protocol/time_spent.h"
#include "profiler/protocol/trial.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/companions.h"

namespace assay {

/// How a block is visited.
struct Visit {
  int number = 1;              ///< as in Visits::next()
  Copies copies{};             ///< as in Visits::copies()
  Stage last = Stage::kJudge;  ///< the last stage to be done
  /// Filled with what was tried, in order, unless it is null.
  std::vector<Attempt>* attempts = nullptr;
};

/// Measures blocks, one after the other, in a subject that it keeps from block to block and
/// replaces if a block has damaged it. Belongs to the thread that made it, which it pins to one
/// processor.
class Profiler {
 public:
  /// Throws InputError for a processor that may not be used, or for a protocol or an initial state
  /// that does not exist, and EnvironmentError if the machine has no usable clock or does not let a
  /// process be traced.
  Profiler(const Settings& settings, int processor);
  /// Uses the given backend, whatever clock the settings name. `emulator` is as in Subject.
  /// `validation` gives the events by which blocks are judged; without it, those of this machine
  /// are used.
  Profiler(const Settings& settings, int processor, std::unique_ptr<CounterBackend> backend,
           subject::Subject::RdpmcEmulator emulator = {},
           std::optional<std::span<const ValidationEvent>> validation = std::nullopt);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Pays a visit to a block: decodes, plans, prepares (runs it once and maps the pages that it
  /// touches), samples, estimates and judges it. A block that fails under the settings' initial
  /// state is tried under others; one that is not steady is tried with more copies. Whatever the
  /// block does becomes its verdict. If the measurement is stopped before the last stage, the
  /// verdict is kUnfinished. A state of the block's own takes precedence over the settings, and no
  /// other state is tried then.
  ///
  /// If there is no number and the moment may be why, a control (control_block()) is measured as
  /// well. If the core does not run that evenly, the reason is kInterference; if it does, it is
  /// not: what seems to disturb the core is the block's own doing then. Whether the outcome is
  /// settled is as one visit shows it (visits.h). A visit after the first is paid in a subject that
  /// is younger than the visit before, if there was the pause between them that Visits asks for.
  ///
  /// Throws EnvironmentError if the machine itself fails, and what state_request_from() throws.
  Measurement measure(const BlockSpec& spec, Notion notion = Notion::kUnrolled,
                      const Visit& visit = {});

  const Settings& settings() const { return settings_; }

  /// Sets a function that is called now and then while a block waits for an undisturbed core, with
  /// how long it has waited.
  void on_waiting(std::function<void(std::chrono::nanoseconds)> callback) {
    patience_.on_waiting = std::move(callback);
  }

  /// Assumes that the machine supports these instructions instead of those that it really does.
  void assume(const InstructionSupport& support) { support_ = support; }

  /// The clock's ratio that the latest estimate rests on; nothing before the first estimate.
  std::optional<CyclesPerTick> ratio() const { return ratio_; }
  /// The number of series of samples so far, and how many of them were disturbed.
  std::int64_t series() const { return patience_.series(); }
  std::int64_t disturbed_series() const { return patience_.disturbed_series(); }
  /// Validation events that are not used, because blocks that miss nothing seemed to cause them.
  std::span<const std::string> distrusted_events() const { return events_.distrusted(); }
  /// Validation events that are used.
  std::span<const ValidationEvent> validation() const { return events_.validation(); }
  /// What all calls of measure() so far have spent their time on. Takes 10 ms.
  TimeSpent time_spent() const;
  /// How many subjects were started so far: one, and one more for each that was replaced.
  int subjects_started() const { return workbench_.subjects_started(); }

 private:
  void learn_the_core();
  TrialBench bench(const InitialStates& states, const Protocol& protocol, const Preparer& preparer,
                   int visit, bool counts_events);
  void replace_subject();
  void blame_moment_or_block(Measurement& measurement, CyclesPerReading before,
                             CyclesPerReading behind);
  Measurement measure_control(const Block& block, Notion notion, std::vector<Attempt>& attempts);
  bool control_is_calm(Notion notion);
  bool code_is_fed();
  SubjectWork subject_work() const { return {workbench_.series_ticks(), workbench_.stops()}; }

  Settings settings_;
  subject::Limits run_limits_;
  std::unique_ptr<CounterBackend> backend_;
  Clock clock_;
  std::unique_ptr<Protocol> protocol_;
  EventCounting events_;
  InstructionSupport support_ = instruction_support();
  InitialStates states_;
  Settings control_settings_;
  InitialStates control_states_;
  std::unique_ptr<Protocol> control_protocol_;
  Block control_ = control_block();
  KnownCore known_;
  Workbench workbench_;
  std::chrono::steady_clock::time_point subject_since_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point busy_until_ = std::chrono::steady_clock::now();
  /// When the companions last learned, beside a block that cannot spoil their readings or none.
  std::chrono::steady_clock::time_point learned_until_ = std::chrono::steady_clock::now();
  /// Those in the table; or else the larger ones of what was measured and of its generation's.
  MachineLimits core_limits_;
  Companions companions_;
  TimeLedger ledger_;
  Preparer preparer_;
  Preparer control_preparer_;
  Patience patience_;
  std::optional<CyclesPerTick> ratio_;
};

}  // namespace assay
