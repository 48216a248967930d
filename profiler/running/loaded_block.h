#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/kernel.h"
#include "profiler/measurement/plan.h"
#include "profiler/running/footprint.h"
#include "profiler/running/trace.h"
#include "profiler/running/workbench.h"
#include "profiler/sampling/sampler.h"
#include "profiler/sampling/series_plan.h"

namespace assay {

/// A block under one initial state in the code area of a workbench's subject: what loads its
/// kernels, finds the pages that it needs, and runs it. Everything that it refers to must outlive
/// it; only one is of use at a time.
class LoadedBlock {
 public:
  LoadedBlock(Workbench& workbench, const Block& block, const InitialState& state,
              const subject::Limits& limits)
      : workbench_(workbench), block_(block), state_(state), limits_(limits) {}

  const Block& block() const { return block_; }
  const InitialState& state() const { return state_; }

  /// Loads kernels of the plan at so many placements, one behind the other, which differ in all
  /// that is chosen by a part of an instruction's address: sets of caches and predictors. Some
  /// blocks take a few per cent more time at one placement than at another. `group`: of counters,
  /// which read them. Why it cannot be; nothing if it was.
  std::optional<Outcome> load(const Plan& plan, std::size_t placements, std::size_t group = 0);

  /// Where in the copies an address lies, whichever kernel's.
  std::optional<Kernel::Location> locate(std::uint64_t address) const;
  /// What a fault in one of its runs is to the block.
  Outcome outcome_of(const subject::Fault& fault) const;

  /// Runs the traced copies, beside the kernels, and has the pages mapped that the others will come
  /// to, as far as it can be foreseen, with those that only a mask left out.
  /// `kernel` is the traced one.
  TraceRun trace(const TracedKernel& kernel);
  /// Where its traced kernel has to lie.
  std::uint64_t trace_address() const;

  /// Runs all sizes until they run without missing a page. How long the smallest and the largest
  /// took then, or the fault; one of reason kInterference if the core was lost each time.
  struct Prepared {
    std::optional<subject::Fault> fault;
    Reading smallest;
    Reading largest;
  };
  Prepared prepare();
  /// Whether pages are mapped that it was only foreseen to come to: a wrong one may be what a limit
  /// was reached by.
  bool foresaw_pages() const { return footprint_.foresees(); }
  /// The same without them: every page but those of the traced copies is mapped when it is missed.
  Prepared prepare_unforeseen();
  /// Loads another plan of the block that was prepared, with the pages that it is foreseen to come
  /// to; prepare() has to follow. `anew`: no page stays that was mapped before.
  void reload(const Plan& plan, bool anew);
  /// Virtual pages that are mapped for it, or will be.
  int pages() const { return workbench_.subject().pages(); }

  /// Runs rounds at the placements that they name, again until nothing but the block and its
  /// companions is in the readings: no missing page, nothing that a run before left in memory, no
  /// counter that was elsewhere. If the core was lost and the readings with it, there are none.
  subject::SeriesResult run(const Round& round, std::uint32_t rounds);
  /// The same of a series' plan, for a sampler.
  SampledSeries run(const SeriesPlan& plan);

 private:
  std::optional<Outcome> load_again();
  void load_at_other_placements();
  void drop_wrong(std::span<const std::uint64_t> guesses, std::span<const TracedAccess> accesses);
  void expect_pages();

  Workbench& workbench_;
  const Block& block_;
  const InitialState& state_;
  subject::Limits limits_;
  Plan plan_;
  std::size_t placements_ = 0;
  std::size_t group_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<subject::MemoryRange> writes_;  ///< that the trace saw
  Footprint footprint_;
};

}  // namespace assay
