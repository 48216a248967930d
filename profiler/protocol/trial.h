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

/// What all trials of a profiler share. It must outlive them.
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

/// One try of a block, under one initial state and one plan: the stages from preparing it to its
/// verdict. Each stage leaves what it found in the attempt.
class Trial {
 public:
  /// `measurement` is what is known about the block so far. No other trial may have loaded the
  /// block.
  Trial(const TrialBench& bench, LoadedBlock& loaded, Measurement measurement);

  /// Tries the block under a plan that it was not prepared under.
  Attempt run(const Plan& plan, Stage last);
  /// Tries a block that is prepared.
  Attempt run(Preparation prepared, Stage last);

 private:
  Attempt run_steps(Stage last);
  // Each of these is a step; it returns whether the next one is to follow.
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
