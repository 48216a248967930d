#pragma once

#include <cstddef>
#include <utility>

#include "profiler/measurement/settings.h"
#include "profiler/protocol/fixed_recipe.h"
#include "profiler/protocol/protocol.h"

namespace assay {

/// The protocol of another tool: its sizes and numbers of runs are fixed, and it does not ask
/// whether the copies are in steady state, as none of these tools does. The clock is read once at
/// either end of a run, as the tools read theirs, since their rules rely on that.
class FixedProtocol : public Protocol {
 public:
  /// `settings` must outlive the protocol.
  FixedProtocol(FixedRecipe recipe, const Settings& settings, std::size_t cache_size)
      : recipe_(std::move(recipe)), settings_(settings), cache_size_(cache_size) {}

  bool reads_clock_once() const override { return true; }
  std::size_t alignments() const override { return 1; }
  std::variant<Plan, Outcome> plan(const Block& block, Notion notion) const override;
  /// Objects by kClockTooCoarse if the clock is too coarse for every block.
  std::optional<Outcome> objection(const Plan& plan, const Companions& companions) const override;
  std::unique_ptr<Sampling> sampling(const PlannedRuns& runs, Companions& companions,
                                     int visit) const override;

 private:
  FixedRecipe recipe_;
  const Settings& settings_;
  std::size_t cache_size_;
};

}  // namespace assay
