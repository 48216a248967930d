#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "profiler/block/block.h"
#include "profiler/codegen/initial_state.h"
#include "profiler/codegen/traced_kernel.h"
#include "profiler/running/trace.h"
#include "profiler/support/data_reach.h"
#include "profiler/support/units.h"

namespace assay {

/// Foresees which memory a block will access in copies that were not traced: mapping a page before
/// it is missed saves two stops of the subject, and walks are to stay in the first-level cache. It
/// may be wrong about pages; those that it does not foresee are found when the block misses them.
class Footprint {
 public:
  Footprint() = default;
  /// If each access moves by a constant distance from copy to copy, at least in the latter half of
  /// the traced copies, it is assumed to go on like that: the first copies may still have to load
  /// the pointers that the others go by. Otherwise only what the trace shows is foreseen.
  /// `copies` is how many copies were traced, of which the latter may access nothing.
  Footprint(std::span<const TracedAccess> accesses, Copies copies);

  /// Whether the accesses of so many copies are known: all were traced, or they move by rule.
  bool foresees_all(Copies copies) const { return copies <= copies_ || is_regular(); }
  /// Whether it foresees any page that was not traced.
  bool foresees() const;
  /// From now on, only what was traced is foreseen.
  void forget_foreseen() { walks_.clear(); }

  /// The accesses of the copies behind the traced ones, up to `copies`, in program order; none
  /// unless one of them may load what an earlier one, or a traced one, stored so lately that it
  /// comes from the store buffer (kStoreBuffer).
  std::vector<TracedAccess> meeting(Copies copies) const;
  /// Whether one of so many copies loads where one stores to through other registers, and either
  /// walks: pointers that were further apart would not meet. Of what moves in no line until the
  /// traced copies end, only their stores count.
  bool pointers_meet(Copies copies) const;
  /// How many of the first `most` copies access no more than is in reach: until a set of the cache
  /// gets more lines than it has ways, or accesses, or stores, go to one page too many. Those that
  /// are neither traced nor foreseen count for nothing.
  Copies copies_within(const DataReach& reach, Copies most) const;

  /// Calls back with the first and the last byte of accesses in the given number of copies, at
  /// least once for each page in which an access begins or ends. At most `most_foreseen` calls are
  /// for accesses that were not traced.
  void for_each_page(Copies copies, std::int64_t most_foreseen,
                     const std::function<void(std::uint64_t)>& callback) const;

 private:
  /// An access that is assumed to move on.
  struct Walk {
    TracedAccess last;          ///< in the last traced copy
    std::int64_t distance = 0;  ///< how far it moves from copy to copy

    /// The access in a copy, which may also lie before that.
    TracedAccess in_copy(std::int64_t copy) const;
    /// The first byte that so many copies access, and the one behind the last.
    std::pair<std::uint64_t, std::uint64_t> range(Copies copies) const;
    bool overlaps(const Walk& other, Copies copies) const;
  };

  bool is_regular() const { return traced_.empty() || rests_ || !walks_.empty(); }
  bool may_meet(const Walk& load, const Walk& store, Copies copies) const;
  void for_each_foreseen(Copies copies,
                         const std::function<bool(const TracedAccess&)>& callback) const;

  std::vector<TracedAccess> traced_;
  std::vector<Walk> walks_;  ///< empty if the accesses do not move regularly
  Copies copies_;            ///< how many copies were traced
  bool rests_ = false;       ///< whether the latter half of these accessed nothing
};

/// How many pages this cache holds, whichever of their lines are accessed.
int pages_held(const CacheShape& cache);

/// The addresses that the first copy would access if no instruction changed a register.
std::vector<std::uint64_t> first_addresses(const TracedKernel& kernel, const Block& block,
                                           const InitialState& state);

}  // namespace assay
