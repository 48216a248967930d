#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/counters/counter_group.h"
#include "profiler/measurement/measurement.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/loaded_block.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// The runs that a prepared block is sampled by.
struct PlannedRuns {
  const Plan& plan;  ///< not owned
  RunTimes times;
  ReadMethod method = ReadMethod::kTsc;
  double floor = 0;  ///< the least cycles that a copy takes; 0 if this core's limits are not known
};

/// How blocks are measured: at which sizes, by which samples, and what those mean. make_protocol()
/// (protocols.h) makes assay's own protocol and those of other tools.
class Protocol {
 public:
  virtual ~Protocol() = default;

  /// Whether the time-stamp counter is read only once at either end of a run, instead of several
  /// times (TimeStamps).
  virtual bool reads_clock_once() const = 0;
  /// The number of alignments of its code at which the block is run.
  virtual std::size_t alignments() const = 0;

  /// The sizes that a block is run at, or why it cannot be.
  virtual std::variant<Plan, Outcome> plan(const Block& block, Notion notion) const = 0;
  /// A longer plan for the same block, to be tried first: plan() is for blocks that cannot be run
  /// under it. Nothing if there is none.
  virtual std::optional<Plan> longer(const Plan& plan) const;
  /// Lets the protocol change `plan`, under which a block was loaded and traced, now that its
  /// accesses are known. If it does, it reloads the block. Returns whether the copies then leave
  /// the first-level data cache, as far as the protocol minds.
  virtual bool fit_to_cache(LoadedBlock& loaded, Plan& plan) const;
  /// Lets the protocol change how a block is run that was prepared under `plan`, now that its pages
  /// and times are known. If it prepares the block again, it changes `plan` and `prepared`. `ratio`
  /// is what readings are scaled by.
  virtual void fit(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared,
                   CyclesPerReading ratio) const;
  /// Whether a block that was prepared may leave the first-level data cache on ways that its trace
  /// did not let be foreseen, as far as the protocol minds.
  virtual bool strays(const LoadedBlock& loaded) const;
  /// A larger plan to replace one that led to `reason`; nothing if none would help.
  virtual std::optional<Plan> raised(const Plan& plan, Reason reason) const;
  /// Plans for the same block, at the sizes of `plan`, but with its code elsewhere: it is told what
  /// it takes there if it was measured under `plan` (Measurement::placements). None by default.
  virtual std::vector<Plan> elsewhere(const Plan& plan, const Block& block) const;
  /// Whether the outcome of a single visit is the block's own. If it is not, another visit, at
  /// another moment and in another subject, may have another outcome (visits.h).
  virtual bool settles(const Measurement& visit) const;
  /// Why no samples of this plan can lead to a value; nothing if they may.
  virtual std::optional<Outcome> objection(const Plan& plan, const Companions& companions) const;

  /// Makes the sampling of a prepared block. `companions` and this protocol must outlive it.
  /// `visit` is the number of the visit, from 1: a protocol may spend more time on later ones.
  virtual std::unique_ptr<Sampling> sampling(const PlannedRuns& runs, Companions& companions,
                                             int visit) const = 0;
};

}  // namespace assay
