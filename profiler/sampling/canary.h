#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiler/block/block.h"
#include "profiler/support/units.h"

namespace assay {

/// The canary: additions that do not wait for each other, and so run at the throughput of the
/// core's integer units. A neighbour on the same core (the SMT sibling, or another guest on it)
/// slows them down at once, while a latency chain does not notice it. So the canary runs in every
/// round, beside the block.
Block canary_block();

inline constexpr std::int64_t kCanaryAdditions = 6;  ///< additions in one copy

/// Copies of the canary in its smaller and in its larger kernel.
inline constexpr Copies kCanarySmallCopies{100};
inline constexpr Copies kCanaryLargeCopies{300};
/// How many more additions the larger kernel has.
inline constexpr std::int64_t kCanaryDifference =
    kCanaryAdditions * (kCanaryLargeCopies - kCanarySmallCopies).count();

/// Judges by the canary's rate whether the core was undisturbed.
class Canary {
 public:
  /// `additions_per_cycle` is the core's known peak. If it is not known, it is learned: it is the
  /// mean of the observations up to 2 % slower than the rate that a tenth of all reached. Learning
  /// works as long as the core is left alone a tenth of the time; a known peak always works.
  explicit Canary(std::optional<double> additions_per_cycle);

  /// Learns the rate that a series showed, in core cycles per addition. Sixteen series in a row
  /// make one observation: the fastest tenth of single series would be the luckiest tenth.
  void learn(double cycles_per_addition);

  /// How much slower the canary was than on an undisturbed core: 0.5 means half as long again. May
  /// be below 0 by chance. `cycles_per_addition` must be above 0.
  double slowdown(double cycles_per_addition) const { return cycles_per_addition / peak() - 1; }

  /// The core cycles that an addition takes on an undisturbed core, as far as is known.
  double peak() const;
  /// How unsure the peak is, as a share of it: by how much the fastest tenth of the observations
  /// was faster. 0 if it is known.
  double peak_scatter() const { return known_ ? 0 : scatter_; }

 private:
  // The bins reach from 0 to 2 cycles per addition, in steps of 0.5 % of a quarter of a cycle.
  static constexpr double kBin = 0.00125;
  static constexpr std::size_t kBins = 1600;

  static constexpr int kSeriesInObservation = 16;

  void learn_peak();

  std::optional<double> known_;  ///< the known peak, in cycles per addition
  double sum_ = 0;               ///< sum over the observation in progress
  int summed_ = 0;
  std::array<std::uint32_t, kBins> seen_{};
  std::uint64_t count_ = 0;
  double learned_ = kBins * kBin;
  double scatter_ = 0;
};

}  // namespace assay
