#pragma once

#include <memory>
#include <optional>

#include "profiler/counting/event_counting.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/attempt.h"
#include "profiler/protocol/patience.h"
#include "profiler/protocol/preparation.h"
#include "profiler/protocol/protocol.h"
#include "profiler/protocol/stage.h"
#include "profiler/protocol/time_spent.h"

namespace assay {

/// What the trials of a profiler share; it outlives them.
struct TrialBench {
  const Protocol& protocol;
  const Preparer& preparer;
  const EventCounting& events;
  const MachineLimits& limits;
  Workbench& workbench;
  Companions& companions;
  Patience& patience;
  TimeLedger& ledger;
};

/// One try of a block, under one initial state and one plan: the steps from preparing it to its
/// verdict. Each leaves what it found in the attempt.
class Trial {
 public:
  /// `measurement`: what is known of the block before. The block must be loaded for no other trial.
  Trial(const TrialBench& bench, LoadedBlock& loaded, Measurement measurement);

  /// Under a plan that the block was not prepared under.
  Attempt run(const Plan& plan, Stage last);
  /// Of a block that is prepared.
  Attempt run(Preparation prepared, Stage last);

 private:
  Attempt run_steps(Stage last);
  // A step; whether the next one is to follow.
  bool prepare();
  bool sample();
  bool estimate();
  bool judge();

  void count_events();
  bool end_with(Outcome outcome);
  bool end_with(const subject::Fault& fault);

  const TrialBench& bench_;
  LoadedBlock& loaded_;
  Attempt attempt_;
  Measurement& measurement_ = attempt_.measurement;
  Stage last_ = Stage::kJudge;
  bool is_prepared_ = false;
  std::unique_ptr<Sampling> sampling_;
};

}  // namespace assay
