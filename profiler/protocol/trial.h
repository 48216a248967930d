#pragma once

#include <memory>
#include <optional>

#include "profiler/counting/event_counting.h"
#include "profiler/machine/instruction_support.h"
#include "profiler/machine/limits.h"
#include "profiler/protocol/attempt.h"
#include "profiler/protocol/initial_states.h"
#include "profiler/protocol/patience.h"
#include "profiler/protocol/preparation.h"
#include "profiler/protocol/protocol.h"
#include "profiler/protocol/stage.h"
#include "profiler/protocol/time_spent.h"
#include "profiler/running/loaded_block.h"

namespace assay {

/// What all trials of a profiler share. It must outlive them.
struct TrialBench {
  const InstructionSupport& support;  ///< the instructions that the machine has
  const InitialStates& states;
  const subject::Limits& run_limits;
  const Protocol& protocol;
  const Preparer& preparer;
  const EventCounting& events;
  const MachineLimits& core_limits;
  Workbench& workbench;
  Companions& companions;
  Patience& patience;
  TimeLedger& ledger;
  int visit;           ///< the number of the visit, from 1
  bool counts_events;  ///< whether events are counted beside the clock
};

/// One try of a block, under one initial state and one plan: the stages from preparing it to its
/// verdict. Each stage leaves what it found in the attempt.
class Trial {
 public:
  /// `measurement` is what is known about the block so far, and `last` the stage that ends the
  /// trial. If it `gives_way`, it also ends, with kStopped, as soon as pointers are known to meet
  /// (Preparation). No other trial may have loaded the block.
  Trial(const TrialBench& bench, LoadedBlock& loaded, Measurement measurement, Stage last,
        bool gives_way = false);

  /// Tries the block under a plan that it was not prepared under.
  Attempt run(const Plan& plan);
  /// Tries a block that is prepared.
  Attempt run(Preparation prepared);

 private:
  Attempt run_steps();
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
  Stage last_;
  bool gives_way_;
  bool is_prepared_ = false;
  std::unique_ptr<Sampling> sampling_;
};

}  // namespace assay
