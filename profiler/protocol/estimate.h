#pragma once

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

/// The kernels of one round, in the order in which they run and in which readings lie.
enum class Slot : int {
  kSmall,
  kLarge,
  kReferenceSmall,
  kReferenceLarge,
  kCanarySmall,
  kCanaryLarge,
};
inline constexpr int kSlots = 6;

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
  /// `readings`: by round, then by slot; a multiple of kSlots.
  bool add_series(std::span<const std::uint32_t> readings);

  /// Series taken in.
  int series() const { return static_cast<int>(series_cycles_.size()); }

  /// Cycles per copy over all series taken in; at least one.
  ///
  ///     cycles = (mean(large) - mean(small)) / n * ratio
  ///     ratio  = reference_cycles / (mean(reference large) - mean(reference small))
  ///
  /// The interval is the wider of two: what the scatter of the single readings gives (propagated to
  /// first order), and what the scatter of the series' own values gives. The second one sees what
  /// the first cannot: a machine that changes its speed from series to series.
  Estimate estimate() const;

  /// Core cycles per tick over all series taken in.
  double core_cycles_per_tick() const;

  /// The canary's slowdown over all series taken in.
  double slowdown() const;

 private:
  using Readings = std::vector<std::uint32_t>;
  struct Point {
    double cycles;
    double variance;
    double ratio;
    double cycles_per_addition;
    double overhead_ticks;  ///< of a reading: what every kernel has beside its copies
    std::int64_t runs;
    std::int64_t dropped;
  };
  Point point(const Readings (&slots)[kSlots]) const;
  double neighbourhood_slowdown(std::span<const std::uint32_t> rounds, const Point& series) const;

  Sizes sizes_;
  Canary& canary_;
  double tolerated_slowdown_;
  Readings all_[kSlots];
  std::int64_t disturbed_runs_ = 0;
  std::vector<double> series_cycles_;
};

}  // namespace assay
