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
#include "profiler/protocol/initial_states.h"
#include "profiler/protocol/patience.h"
#include "profiler/protocol/preparation.h"
#include "profiler/protocol/protocol.h"
#include "profiler/protocol/stage.h"
#include "profiler/protocol/time_spent.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/companions.h"

namespace assay {

/// Measures blocks, one after the other, in a subject that it keeps from block to block and
/// replaces when a block damaged it. Belongs to the thread that made it, which it pins to one
/// processor.
class Profiler {
 public:
  /// Throws InputError for a processor that may not be used, or a protocol or an initial state that
  /// does not exist, EnvironmentError when the machine gives no clock or does not let a process be
  /// traced.
  Profiler(const Settings& settings, int processor);
  /// The same with a backend of one's own, whatever the settings call it. `emulator`: see Subject.
  /// `validation`: events to judge blocks by; if not given, those of this machine.
  Profiler(const Settings& settings, int processor, std::unique_ptr<CounterBackend> backend,
           subject::Subject::RdpmcEmulator emulator = {},
           std::optional<std::span<const ValidationEvent>> validation = std::nullopt);
  Profiler(const Profiler&) = delete;
  Profiler& operator=(const Profiler&) = delete;

  /// Decode, plan, prepare (run it once, mapping the pages it touches), sample, estimate, judge.
  /// A block that fails under the settings' initial state is tried under others; one that is not
  /// steady, with more copies. Whatever the block does becomes its verdict; if the measurement is
  /// stopped before the last stage, the verdict is kUnfinished. What a state of the block's own
  /// says counts before what the settings say, and no other is tried. `attempts`, if given, is what
  /// was tried, in order. Throws EnvironmentError when the machine itself fails, and what
  /// state_request_from() throws.
  Measurement measure(const BlockSpec& spec, Notion notion = Notion::kUnrolled,
                      Stage last = Stage::kJudge, std::vector<Attempt>* attempts = nullptr);

  /// Calls back now and then while a block waits for an undisturbed core, with how long it has.
  void on_waiting(std::function<void(std::chrono::nanoseconds)> callback) {
    patience_.on_waiting = std::move(callback);
  }

  /// Takes the machine to have these instructions instead of those that it has.
  void assume(const InstructionSupport& support) { support_ = support; }

  /// That the latest estimate rests on; nothing before the first.
  std::optional<CyclesPerTick> ratio() const { return ratio_; }
  /// Series of samples so far, and those of them that were disturbed.
  std::int64_t series() const { return patience_.series(); }
  std::int64_t disturbed_series() const { return patience_.disturbed_series(); }
  /// Validation events that are not used since blocks that miss nothing seemed to cause them.
  std::span<const std::string> distrusted_events() const { return events_.distrusted(); }
  /// Those that are.
  std::span<const ValidationEvent> validation() const { return events_.validation(); }
  /// What all measure() so far spent their time on.
  TimeSpent time_spent() const;
  /// Subjects started so far: one, and one more for each that was replaced.
  int subjects_started() const { return workbench_.subjects_started(); }

 private:
  class Course;
  subject::Limits limits() const { return {settings_.page_limit, settings_.time_limit}; }
  void learn_the_core();

  Settings settings_;
  std::unique_ptr<CounterBackend> backend_;
  Clock clock_;
  std::unique_ptr<Protocol> protocol_;
  EventCounting events_;
  InstructionSupport support_ = instruction_support();
  InitialStates states_;
  Workbench workbench_;
  std::optional<MachineLimits> table_limits_;  ///< of the core, if a table has them
  Companions companions_;
  MachineLimits limits_;  ///< those of the table, or measured
  TimeLedger ledger_;
  Preparer preparer_;
  Patience patience_;
  std::optional<CyclesPerTick> ratio_;
  // For time_spent():
  double ticks_per_second_;
  std::int64_t blocks_ = 0;
  std::uint64_t ticks_before_ = 0;  ///< of series that ran before the first block
  std::int64_t stops_before_ = 0;
};

}  // namespace assay
