#pragma once

#include <optional>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/protocol/attempt.h"
#include "profiler/protocol/stage.h"
#include "profiler/protocol/trial.h"

namespace assay {

/// All trials of one block under one notion: under the initial states and the larger plans that may
/// help.
class BlockTrials {
 public:
  /// `last` is the stage that ends each trial. Attempts are appended to `attempts`, unless that is
  /// null. `earlier` is the unroll factor that earlier visits came to, or 0: the trials begin
  /// with the plan of so many copies, if raising led to it, since those before it would lead
  /// nowhere again. Everything that the arguments refer to must outlive the object.
  BlockTrials(const TrialBench& bench, const Block& block, Notion notion, Stage last,
              std::vector<Attempt>* attempts, Copies earlier = {});

  /// Measures the block under its own state or, if it has none, under the settings' state. Where
  /// pointers walk to where others lead, a state in which they have more room takes its place, if
  /// they do not meet there. If the block fails under that, it is tried under the fallback states;
  /// if none of those helps, the first outcome stands.
  Measurement run(const StateRequest& own);

  /// The clock's ratio that the latest estimate rests on; nothing if there was no estimate.
  std::optional<CyclesPerTick> ratio() const { return ratio_; }
  /// Whether the latest trial came to counting events.
  bool counted_events() const { return counted_events_; }
  /// Whether the block was tried under a state under which it may access memory unseen
  /// (LoadedBlock::may_stray()).
  bool may_have_strayed() const { return may_have_strayed_; }

 private:
  bool plan();
  bool end_with(const Outcome& outcome);
  Measurement run_under(const InitialState& state);
  Measurement run_under_usual_state();
  std::optional<Measurement> run_unless_pointers_meet(const InitialState& state);
  std::optional<Measurement> try_plans(const InitialState& state, bool gives_way);
  Measurement placed(const Attempt& attempt, LoadedBlock& loaded) const;
  void note(const Attempt& attempt);

  const TrialBench& bench_;
  const Block& block_;
  Stage last_;
  std::vector<Attempt>* attempts_;
  Measurement measurement_;  ///< what is known of the block before any trial
  Copies earlier_;
  /// The plans to begin with, each in case the block cannot be run under those before it.
  std::vector<Plan> first_plans_;
  std::optional<CyclesPerTick> ratio_;
  bool counted_events_ = false;
  bool may_have_strayed_ = false;
};

}  // namespace assay
