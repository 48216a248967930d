#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace assay {

/// The readings of one kernel, reduced.
struct SampleMean {
  double mean = 0;      ///< ticks
  double variance = 0;  ///< of the mean, ticks^2
  std::int64_t kept = 0;
  std::int64_t dropped = 0;  ///< far outliers
};

/// Mean of the readings without far outliers: those further from the median than three steps of the
/// clock and six times the scaled median absolute deviation. Far, because a reading of a coarse
/// clock is one of two values whose share carries the information: trimming such a sample biases
/// its mean, and so does its median; dropping what an interrupt made does not. `readings`: at
/// least one; `step`: of the clock, in their unit (ReadingStep::whole).
SampleMean robust_mean(std::span<const std::uint32_t> readings, std::uint32_t step);

/// Of an even number of values the upper one of the two in the middle; at least one.
double median(std::vector<double> values);

/// The kernels that are run for a block: its own at three sizes, and those that run beside it.
enum class Slot : int {
  kQuarter,  ///< n copies
  kHalf,     ///< 2n
  kFull,     ///< 4n
  kReferenceSmall,
  kReferenceLarge,
  kCanarySmall,
  kCanaryLarge,
};
inline constexpr std::size_t kSlots = 7;
inline constexpr std::size_t kBlockSlots = 3;  ///< the first ones are the block's own

/// One turn of a round: which kernel runs, and whether its reading counts.
struct Turn {
  Slot slot;
  bool counts;
  std::size_t place = 0;  ///< of a block that lies at several
  /// Its data are brought into the first-level cache anew, to other ways of their sets.
  bool evict = false;
};

/// The kernels of one round in the order in which they run and their readings lie.
using Round = std::vector<Turn>;

/// So many turns that count of the block at its largest and its smallest size, half as many at the
/// one between, by which only the steady state is judged, then its companions, whose readings are
/// shared by them all. The first turns of each size only warm up. Code that ran before has pushed
/// the block's out of the micro-op cache and the first-level instruction cache: of code that the
/// former holds, the first run takes a quarter longer, the second a fifth and the third 4 %; from
/// the fourth on all are alike (Zen 4). The smaller sizes, which run a part of the same code, take
/// 10 % longer once. (Were the sizes to take turns one by one, some blocks would be cold for good.)
///
/// With several places the block runs at one after the other, with its data brought into the cache
/// anew for each, and behind each there is one of the companions, in turn.
Round interleaved_round(int times, std::size_t places = 1);

/// So many warm-ups and one turn that counts of the block at its full and half size, then the
/// companions.
Round pair_round(int warm_ups);

/// The readings of one series by slot, without those that do not count.
using Samples = std::array<std::vector<std::uint32_t>, kSlots>;

/// Of a round at one place. `readings`: round after round. Throws Error for a broken number of
/// rounds or none.
Samples by_slot(const Round& round, std::span<const std::uint32_t> readings);
/// The same for each place of a round: what companions read is among those of the first.
std::vector<Samples> by_place(const Round& round, std::span<const std::uint32_t> readings);

}  // namespace assay
