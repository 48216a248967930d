#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/block/block_spec.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/codegen/state_text.h"
#include "profiler/counters/backend.h"
#include "profiler/counters/clock.h"
#include "profiler/counting/event_tally.h"
#include "profiler/counting/validation.h"
#include "profiler/machine/instruction_support.h"
#include "profiler/machine/limits.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/measurement/settings.h"
#include "profiler/protocol/fixed_protocol.h"
#include "profiler/protocol/time_spent.h"
#include "profiler/running/loaded_block.h"
#include "profiler/running/trace.h"
#include "profiler/running/trace_analysis.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/canary.h"
#include "profiler/sampling/clock_ratio.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_plan.h"

namespace assay {

/// The steps from bytes to a verdict, in order; a measurement may be stopped after any of them.
enum class Stage { kDecode, kPlan, kPrepare, kSample, kEstimate, kJudge };
std::optional<Stage> stage_named(std::string_view name);

/// One try of a block under one initial state and one plan, for those who want to know how a
/// verdict came about.
struct Attempt {
  std::string initial_state;  ///< as Measurement::initial_state
  Plan plan;
  Trace trace;
  TraceConditions trace_conditions;
  TraceFindings findings;
  RunTimes times;
  std::vector<SeriesPoint> series;
  std::optional<Steadiness> steadiness;
  double slowdown = 0;          ///< of the canary
  double floor = 0;             ///< cycles that a copy takes at least; 0 if not known
  std::string events_left_out;  ///< why some passes of events were not counted; empty if none
  Measurement measurement;
};

/// An event that is counted beside blocks.
struct CountedRequest {
  EventRequest request;
  std::string validates;  ///< specification of the validation event that it serves for; or none
};

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

  /// Decode, plan, prepare (run it once, mapping the pages it touches), sample, estimate, judge.
  /// A block that fails under the settings' initial state is tried under others; one that is not
  /// steady, with more copies. Whatever the block does becomes its verdict; if the measurement is
  /// stopped before the last stage, the verdict is kUnfinished. What a state of the block's own
  /// says counts before what the settings say, and no other is tried. Throws EnvironmentError when
  /// the machine itself fails, and what state_request_from() throws.
  Measurement measure(const BlockSpec& spec, Notion notion = Notion::kUnrolled,
                      Stage last = Stage::kJudge);

  /// What the latest measure() tried, in order.
  const std::vector<Attempt>& attempts() const { return attempts_; }

  /// Calls back now and then while a block waits for an undisturbed core, with how long it has.
  void on_waiting(std::function<void(std::chrono::nanoseconds)> callback) {
    waiting_ = std::move(callback);
  }

  /// Takes the machine to have these instructions instead of those that it has.
  void assume(const InstructionSupport& support) { support_ = support; }

  /// The ratio that the latest estimate used; 0 before the first.
  double core_cycles_per_tick() const { return core_cycles_per_tick_; }
  /// Series of samples so far, and those of them that were disturbed.
  std::int64_t series() const { return series_; }
  std::int64_t disturbed_series() const { return disturbed_series_; }
  /// Validation events that are not used since blocks that miss nothing seemed to cause them.
  std::span<const std::string> distrusted_events() const { return distrusted_; }
  /// Those that are.
  std::span<const ValidationEvent> validation() const { return validation_; }
  /// What all measure() so far spent their time on.
  TimeSpent time_spent() const;
  /// Subjects started so far: one, and one more for each that was replaced.
  int subjects_started() const { return workbench_.subjects_started(); }

 private:
  void calibrate(std::chrono::nanoseconds least);
  std::optional<double> quickest(const Block& block, Notion notion);
  Measurement measure_block(const Block& block, Notion notion, Stage last, const StateRequest& own);
  Measurement attempt(LoadedBlock& loaded, Plan plan, const Measurement& common, Stage last);
  void run(LoadedBlock& loaded, Stage last, bool prepared, Attempt& attempt);
  bool make_ready(LoadedBlock& loaded, Attempt& attempt);
  void stop_at_fault(const LoadedBlock& loaded, const subject::Fault& fault,
                     Measurement& measurement);
  bool trace(LoadedBlock& loaded, Attempt& attempt);
  bool judge_trace(const Block& block, Attempt& attempt);
  std::optional<subject::Fault> prepare(LoadedBlock& loaded, Attempt& attempt);
  std::optional<subject::Fault> run_own(LoadedBlock& loaded, Stage last, Attempt& attempt);
  std::optional<subject::Fault> run_fixed(LoadedBlock& loaded, Stage last, Attempt& attempt);
  /// One of the block's passes; what is left out says why if there is neither of the others.
  struct Pass {
    std::optional<subject::Fault> fault;
    std::optional<EventTally> tally;
    std::string left_out;
    bool disturbed = false;  ///< so that another time may be better
  };
  Pass run_pass(LoadedBlock& loaded, const Plan& plan, const Estimate& estimate, std::size_t group);
  std::optional<subject::Fault> count_events(LoadedBlock& loaded, Attempt& attempt);
  const ValidationEvent* validation_of_request(std::size_t request) const;
  void test_validation();
  std::vector<std::string> caused_events(const Bytes& bytes, Notion notion);
  std::chrono::nanoseconds patience() const;
  void note_points(Attempt& attempt, std::span<const SeriesPoint> points) const;
  void note_sampling(SamplingEnd end, std::span<const SeriesPoint> points);
  void conclude(const Block& block, const Estimator& estimator, Stage last, Attempt& attempt);
  subject::Limits limits() const { return {settings_.page_limit, settings_.time_limit}; }

  Settings settings_;
  std::optional<FixedProtocol> fixed_;  ///< nothing for assay's own protocol
  std::unique_ptr<CounterBackend> backend_;
  std::vector<ValidationEvent> validation_;  ///< events that can be counted here
  std::vector<CountedRequest> requests_;     ///< the settings' and these
  std::vector<std::string> distrusted_;
  Clock clock_;
  InstructionSupport support_ = instruction_support();
  std::size_t cache_size_;
  int data_tlb_entries_;
  InitialState state_;  ///< the settings'
  Workbench workbench_;
  std::optional<MachineLimits> limits_;  ///< from the table or measured once constructed
  Canary canary_{std::nullopt};
  ClockRatio ratio_{clock_.cycles_per_tick};
  std::function<void(std::chrono::nanoseconds)> waiting_ = [](std::chrono::nanoseconds) {};
  std::vector<Attempt> attempts_;
  bool replace_subject_ = false;       ///< before the next block
  std::chrono::nanoseconds waited_{};  ///< for an undisturbed core, with the present block
  bool patient_ = true;  ///< false from giving up on a disturbed core until it is undisturbed again
  TimeLedger ledger_;
  double ticks_per_second_;
  std::int64_t blocks_ = 0;
  std::uint64_t ticks_before_ = 0;  ///< of series that ran before the first block
  std::int64_t stops_before_ = 0;
  std::int64_t series_ = 0;
  std::int64_t disturbed_series_ = 0;
  double core_cycles_per_tick_ = 0;
};

}  // namespace assay
