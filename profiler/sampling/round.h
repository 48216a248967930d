#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/measurement/plan.h"

namespace assay {

/// The kernels that run beside each other: the block's, and those that tell what its runs mean.
enum class Code : std::uint8_t {
  kBlock,      ///< the block, at the sizes of its plan
  kReference,  ///< the reference chain (reference.h)
  kCanary,     ///< the canary (canary.h)
};

/// The most sizes that a block is run at.
inline constexpr std::size_t kMostSizes = 3;
/// The indices of a block's sizes where there are three.
inline constexpr std::size_t kSmallestSize = 0;
inline constexpr std::size_t kMiddleSize = 1;
inline constexpr std::size_t kLargestSize = 2;
/// The indices of the sizes where there are two: of a block under a fixed protocol, and of the
/// reference chain and the canary always.
inline constexpr std::size_t kSmall = 0;
inline constexpr std::size_t kLarge = 1;
/// The number of sizes of the reference chain and of the canary.
inline constexpr std::size_t kCompanionSizes = 2;

/// One run of a kernel within a round.
struct KernelRun {
  Code code = Code::kBlock;
  std::size_t size = 0;  ///< index of the size, beginning with the smallest
  bool counts = true;    ///< false for a run that only warms up
  /// Index of the alignment of the block's code: which of its kernels in the code area is run.
  std::size_t alignment = 0;
  /// Whether its data are first brought into the first-level cache anew, into other ways of their
  /// sets.
  bool evict = false;
  /// Whether the reading tells if the data came to lie well there (layout_limit()). If they did
  /// not, they are brought in anew, and the runs since then are done again.
  bool tells_layout = false;

  bool operator==(const KernelRun&) const = default;
};

/// The runs of one round in their order, which is also the order of their readings.
using Round = std::vector<KernelRun>;

/// Appends runs of one kernel: `warm_ups` that only warm up, then `times` that count.
void add_runs(Round& round, const KernelRun& run, int warm_ups, int times);

/// Whether the data of a block are brought into the cache anew for each alignment, so that its
/// value does not depend on the ways in which its lines happen to lie. Copies that walk over a good
/// part of the cache find each line in a way of its own, so that their mean is over many places
/// already. And where data have just been brought in anew, a line is missed now and then for as
/// long as the series lasts, the more the nearer the cache is to full.
bool brings_data_anew(const Plan& plan);

/// A round of a block under a plan of three sizes, with its companions. Each size has `times` runs
/// that count. The first runs of each size only warm up, as many of the largest as the plan says
/// (one at least) and one of the others, because code that ran before has pushed the block's out of
/// the micro-op cache and the first-level instruction cache: if the code fits the former, the first
/// run takes a quarter longer, the second a fifth and the third 4 %; from the fourth on all are
/// alike (Zen 4). The smaller sizes, which run a part of the same code, take 10 % longer once. (If
/// the sizes took turns run by run, some blocks would never be warm.)
///
/// The canary runs behind each size; before it counts, three times behind the largest and twice
/// behind the others. In some hours Zen 4 does not take code of that length back into its
/// micro-op cache with the first run, but with the second, which then takes twice as long as the
/// third: counted, it makes a core look shared that is not. Of 9,168 rounds of 200 blocks in such
/// an hour, the first five runs behind the largest size took over a tenth longer than usual
/// in 99.9, 83, 5.6, 4.9 and 4.5 %, those behind the middle one in 16, 5.9, 4.9, 4.5 and 4.4 %.
///
/// With several alignments, the block runs at one after the other, from `first` on. If its data are
/// brought into the cache anew, they are for each, and the third run since then (or the last one
/// that warms up, if that comes earlier) tells whether they lie well: it and those before it are
/// of the size that all alignments have in common. The first alignment is followed by the
/// reference, which all of them share.
Round interleaved_round(const Plan& plan, int times, std::size_t alignments = 1,
                        std::size_t first = 0);

/// A round that runs a block in each of its sizes at each alignment, so that the core has met all
/// of its code: until other code has run in between, new code takes up to 40 % more or less than
/// from then on, however often it runs (Zen 5). If its data are brought into the cache anew for
/// each alignment, the round begins as interleaved_round() does, up to the run that tells their
/// layout, which counts; all other runs are single ones, and do not.
Round first_round(const Plan& plan, std::size_t alignments);

/// A round of a block at two sizes: at each, first the larger, `warm_ups` warm-up runs and one run
/// that counts; then the companions.
Round pair_round(int warm_ups);

}  // namespace assay
