#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <variant>

#include "profiler/block/block.h"
#include "profiler/counters/counter_group.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/loaded_block.h"
#include "profiler/sampling/companions.h"
#include "profiler/sampling/sampling.h"

namespace assay {

/// How blocks are measured: at which sizes, by which samples, and what those mean. assay's own
/// protocol and those of other tools are made by make_protocol() (protocols.h).
class Protocol {
 public:
  virtual ~Protocol() = default;

  /// Whether the time-stamp counter is read once at either end of a run, and not several times
  /// (TimeStamps).
  virtual bool reads_clock_once() const = 0;
  /// At how many placements the block is run.
  virtual std::size_t placements() const = 0;

  /// The sizes that a block is run at, or why it cannot be.
  virtual std::variant<Plan, Outcome> plan(const Block& block, Notion notion) const = 0;
  /// Lets a block that was prepared under `plan` be run in another way, now that its pages and
  /// times are known: changes both if it prepares it anew. `ratio`: what readings are scaled by.
  virtual void fit(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared,
                   CyclesPerReading ratio) const;
  /// A larger plan, after one that came to `reason`; nothing if none would help.
  virtual std::optional<Plan> raised(const Plan& plan, Reason reason) const;
  /// Why no samples of a plan can lead to a value; nothing if they may.
  virtual std::optional<Outcome> objection(const Plan& plan, const Companions& companions) const;

  /// The samples of a prepared block. `companions` must outlive them, as this must.
  virtual std::unique_ptr<Sampling> sampling(const Plan& plan, const RunTimes& times,
                                             ReadMethod method, Companions& companions) const = 0;
};

}  // namespace assay
