#pragma once

#include <cstddef>
#include <vector>

#include "profiler/measurement/settings.h"
#include "profiler/protocol/protocol.h"
#include "profiler/support/data_reach.h"

namespace assay {

/// assay's own protocol (docs/measuring.md): three sizes, interleaved rounds at several alignments
/// of the code, and samples until the interval is narrow enough.
class AssayProtocol : public Protocol {
 public:
  /// `cache_size` is that of the first-level instruction cache, in bytes. `settings` must outlive
  /// the protocol.
  AssayProtocol(const Settings& settings, std::size_t cache_size, const DataReach& reach = {})
      : settings_(settings), cache_size_(cache_size), reach_(reach) {}

  bool reads_clock_once() const override { return false; }
  std::size_t alignments() const override { return kAlignments; }
  /// As make_plan(); refuses by kLoopEnd a loop that is to end by its own branch, or by another in
  /// its place, and has none.
  std::variant<Plan, Outcome> plan(const Block& block, Notion notion) const override;
  /// Twice the copies of straight-line code, where it may reach beyond a page
  /// (Features::pages_are_alike): up to the 200th copy, some blocks take another time, and are as
  /// steady in it at three sizes as further on (Granite Rapids); and where readings of a coarse
  /// clock scatter by some cycles, a run of twice the copies takes a tenth longer and tells twice
  /// as much (Zen 4).
  std::optional<Plan> longer(const Plan& plan) const override;

  /// Shortens a first plan whose copies would walk out of the first-level data cache, or to more
  /// pages than its TLB holds, or holds for stores, if that leaves 12 of them and 64 instructions,
  /// and notes in any plan up to where they stay in it. A third of the ways is left over. Does
  /// nothing if pages share frames.
  bool fit_to_cache(LoadedBlock& loaded, Plan& plan) const override;
  /// True if the pages that it may access anywhere in them are more than two thirds of the
  /// first-level data cache hold, unless pages share frames.
  bool strays(const LoadedBlock& loaded) const override;
  /// Makes a first plan no longer than it has to be. A block that strays() may stay in the cache
  /// with fewer copies. A run at the largest size need not take more
  /// than some microseconds: compared with that, the clock's noise is small. And where pages share
  /// frames, a block that walks through memory may come back to the first frame through another
  /// page: then a first-level cache that predicts its way from the virtual address misses. Fewer
  /// copies may touch so few pages that each has a frame of its own.
  void fit(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared,
           CyclesPerReading ratio) const override;

  /// Raises a plan after the reasons that a start-up phase longer than n copies can cause:
  /// kNoSteadyState and kBelowLimit.
  std::optional<Plan> raised(const Plan& plan, Reason reason) const override;
  /// Loops of one copy that ends in a branch, at all multiples of 8 bytes behind one of 64.
  std::vector<Plan> elsewhere(const Plan& plan, const Block& block) const override;
  /// One visit settles only what may not pass (may_pass()), and no value.
  bool settles(const Measurement& visit) const override;
  /// The time for samples under the last plan grows with the visit's number, up to the 4-fold.
  std::unique_ptr<Sampling> sampling(const PlannedRuns& runs, Companions& companions,
                                     int visit) const override;

 private:
  void fit_to_pages(LoadedBlock& loaded, Plan& plan, LoadedBlock::Prepared& prepared) const;

  const Settings& settings_;
  std::size_t cache_size_;
  DataReach reach_;
};

}  // namespace assay
