#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay {

/// What is run beside each other: the block, and the kernels that tell what a run of it means.
enum class Code : std::uint8_t {
  kBlock,      ///< at the sizes of its plan
  kReference,  ///< the reference chain (reference.h)
  kCanary,     ///< the canary (canary.h)
};

/// Sizes that a block is run at, at most.
inline constexpr std::size_t kMostSizes = 3;
/// Sizes of the reference chain and of the canary: the smaller one is 0, the larger one 1.
inline constexpr std::size_t kCompanionSizes = 2;

/// One run of a kernel within a round.
struct KernelRun {
  Code code = Code::kBlock;
  std::size_t size = 0;  ///< which of its sizes, from the smallest on
  bool counts = true;    ///< false for a run that only warms up
  /// At which of the places in the code area that the block lies at.
  std::size_t placement = 0;
  /// Its data are brought into the first-level cache anew, to other ways of their sets.
  bool evict = false;

  bool operator==(const KernelRun&) const = default;
};

/// The runs of one round in their order, in which their readings lie too.
using Round = std::vector<KernelRun>;

/// Appends so many warm-ups and runs that count of one kernel.
void add_runs(Round& round, const KernelRun& run, int warm_ups, int times);

/// So many runs that count of the block at its largest and its smallest size, half as many at the
/// one between, by which only the steady state is judged, then its companions, whose readings are
/// shared by them all. The first runs of each size only warm up. Code that ran before has pushed
/// the block's out of the micro-op cache and the first-level instruction cache: of code that the
/// former holds, the first run takes a quarter longer, the second a fifth and the third 4 %; from
/// the fourth on all are alike (Zen 4). The smaller sizes, which run a part of the same code, take
/// 10 % longer once. (Were the sizes to take turns one by one, some blocks would be cold for good.)
///
/// With several placements the block runs at one after the other, with its data brought into the
/// cache anew for each, and behind each there is one of the companions, in turn.
Round interleaved_round(int times, std::size_t placements = 1);

/// So many warm-ups and one run that counts of the block at the larger and at the smaller of two
/// sizes, then the companions.
Round pair_round(int warm_ups);

}  // namespace assay
