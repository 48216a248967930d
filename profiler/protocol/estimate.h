#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/protocol/canary.h"
#include "profiler/protocol/measurement.h"

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
/// its mean, and so does its median; dropping what an interrupt made does not. `readings` in ticks,
/// at least one; `step` in ticks (TscProperties).
SampleMean robust_mean(std::span<const std::uint32_t> readings, std::uint32_t step);

/// The kernels that are run for a block.
enum class Slot : int {
  kSmall,
  kLarge,
  kReferenceSmall,
  kReferenceLarge,
  kCanarySmall,
  kCanaryLarge,
};
inline constexpr std::size_t kSlots = 6;
inline constexpr std::size_t kBlockSlots = 2;  ///< the first ones are the block's own

/// One turn of a round: which kernel runs, and whether its reading counts.
struct Turn {
  Slot slot;
  bool counts;
};

/// One round, in the order in which its kernels run and their readings lie. The block's kernels
/// come more often than their companions, whose readings are shared by them all. Their first turn
/// only warms up: the companions' code has pushed some of theirs out of the micro-op cache, and the
/// first run behind them takes up to twice as long as all that follow.
inline constexpr Turn kRound[] = {
    {Slot::kSmall, false},       {Slot::kLarge, false},         {Slot::kSmall, true},
    {Slot::kLarge, true},        {Slot::kSmall, true},          {Slot::kLarge, true},
    {Slot::kSmall, true},        {Slot::kLarge, true},          {Slot::kSmall, true},
    {Slot::kLarge, true},        {Slot::kReferenceSmall, true}, {Slot::kReferenceLarge, true},
    {Slot::kCanarySmall, false}, {Slot::kCanaryLarge, false},   {Slot::kCanarySmall, true},
    {Slot::kCanaryLarge, true},
};

/// What a block's samples mean. Readings come in as series of rounds, each with one reading a slot.
class Estimator {
 public:
  struct Sizes {
    double copies = 1;                  ///< n: the large kernel has so many more than the small one
    double reference_cycles = 1;        ///< the large reference takes so many core cycles more
    double reference_small_cycles = 1;  ///< what the small reference takes but for the overhead
    double canary_additions = 1;        ///< the large canary has so many additions more
    double canary_total_additions = 1;  ///< of the small and the large canary together
    std::uint32_t clock_step = 1;
  };
  /// `canary` learns from every series, and says which rounds were disturbed: those in whose
  /// neighbourhood it is slower by more than `tolerated_slowdown`.
  Estimator(Sizes sizes, Canary& canary, double tolerated_slowdown)
      : sizes_(sizes), canary_(canary), tolerated_slowdown_(tolerated_slowdown) {}

  /// Takes in the undisturbed rounds of a series, unless most were disturbed; whether it did.
  /// `readings`: round after round, each as kRound has it.
  bool add_series(std::span<const std::uint32_t> readings);

  /// Series taken in, but for those that are far from the rest: see estimate().
  int series() const;

  /// Cycles per copy, from at least six series:
  ///
  ///     cycles = (mean(large) - mean(small)) / n * ratio
  ///     ratio  = reference_cycles / (mean(reference large) - mean(reference small))
  ///
  /// of each series, and of these values the mean. Its interval comes from their scatter (Student's
  /// t), or from that of the single readings if that is wider.
  ///
  /// A series whose value is far from the median of all (six standard errors of its own, and 3 %)
  /// is left out if that is rare: among at least twenty series, no more than one in five. After an
  /// interrupt a core may run the same code in another state until the next one, with lines of data
  /// or code not where they were. Until then, and if more are far, all count, and the interval is
  /// as wide as they are apart: a block that has two states has no number.
  Estimate estimate() const;

  /// Core cycles per tick, and the canary's slowdown, over the same series.
  double core_cycles_per_tick() const;
  double slowdown() const;

 private:
  using Slots = std::array<std::vector<std::uint32_t>, kSlots>;
  struct Point {
    double cycles;
    double variance;
    double ratio;
    double cycles_per_addition;
    double overhead_ticks;  ///< of a reading: what every kernel has beside its copies
    std::int64_t runs;      ///< without far outliers
  };
  Point point(const Slots& slots) const;
  double neighbourhood_slowdown(const Slots& rounds, const Point& series) const;
  std::vector<Point> near_series() const;  ///< what estimate() says of far ones

  Sizes sizes_;
  Canary& canary_;
  double tolerated_slowdown_;
  std::int64_t runs_ = 0;  ///< timed runs of the block in all series
  std::vector<Point> series_;
  std::vector<Point> near_;  ///< near_series() of these, found once for each series
};

}  // namespace assay
