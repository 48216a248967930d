#pragma once

#include <cstdint>
#include <span>
#include <vector>

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

/// The four kernels of one round, in the order in which they run and in which readings lie.
enum class Slot : int { kSmall, kLarge, kReferenceSmall, kReferenceLarge };
inline constexpr int kSlots = 4;

/// What a block's samples mean. Readings come in as series of rounds, each with one reading a slot.
class Estimator {
 public:
  struct Sizes {
    double copies = 1;            ///< n: the large kernel has so many more than the small one
    double reference_cycles = 1;  ///< the large reference takes so many core cycles more
    std::uint32_t clock_step = 1;
  };
  explicit Estimator(Sizes sizes) : sizes_(sizes) {}

  /// `readings`: by round, then by slot; a multiple of kSlots.
  void add_series(std::span<const std::uint32_t> readings);

  /// Cycles per copy over all series so far; at least one.
  ///
  ///     cycles = (mean(large) - mean(small)) / n * ratio
  ///     ratio  = reference_cycles / (mean(reference large) - mean(reference small))
  ///
  /// The interval is the wider of two: what the scatter of the single readings gives (propagated to
  /// first order), and what the scatter of the series' own values gives. The second one sees what
  /// the first cannot: a machine that changes its speed from series to series.
  Estimate estimate() const;

  /// Core cycles per tick over all series so far.
  double core_cycles_per_tick() const;

 private:
  using Readings = std::vector<std::uint32_t>;
  struct Point {
    double cycles;
    double variance;
    double ratio;
    std::int64_t runs;
    std::int64_t dropped;
  };
  Point point(const Readings (&slots)[kSlots]) const;

  Sizes sizes_;
  Readings all_[kSlots];
  std::vector<double> series_cycles_;
};

}  // namespace assay
