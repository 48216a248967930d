#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiler/block/block.h"

namespace assay {

/// The canary: additions that do not wait for each other, at the rate of the core's integer units.
/// A neighbour on the same core (the other SMT thread, another guest) slows them down at once,
/// while a latency chain does not notice: so it runs in every round, beside the block.
Block canary_block();

inline constexpr std::int64_t kCanaryAdditions = 6;  ///< in one copy

/// Copies of it in the smaller and in the larger kernel.
inline constexpr std::int64_t kCanarySmallCopies = 100;
inline constexpr std::int64_t kCanaryLargeCopies = 300;
/// Additions that the larger one has more.
inline constexpr std::int64_t kCanaryDifference =
    kCanaryAdditions * (kCanaryLargeCopies - kCanarySmallCopies);

/// Judges by the canary's rate whether the core was undisturbed.
class Canary {
 public:
  /// `additions_per_cycle`: the core's known peak; nothing if it is not known, and then it is
  /// learned: the rate that a tenth of all observations so far reached or beat. Learning works as
  /// long as the core is left alone a tenth of the time, a known peak always.
  explicit Canary(std::optional<double> additions_per_cycle);

  /// Takes note of what a series showed, in core cycles per addition. Sixteen of them in a row make
  /// one observation: the fastest tenth of single ones would be the luckiest tenth.
  void learn(double cycles_per_addition);

  /// How much slower than undisturbed: 0.5 means that it took half as long again. Below
  /// 0 by chance. `cycles_per_addition` > 0.
  double slowdown(double cycles_per_addition) const { return cycles_per_addition / peak() - 1; }

  /// Core cycles that an addition takes on an undisturbed core, as far as is known.
  double peak() const;

 private:
  // From 0 to 2 cycles an addition in steps of 0.5 % of a quarter of a cycle.
  static constexpr double kBin = 0.00125;
  static constexpr std::size_t kBins = 1600;

  static constexpr int kSeriesInObservation = 16;

  std::optional<double> known_;  ///< cycles per addition
  double sum_ = 0;               ///< of the observation in progress
  int summed_ = 0;
  std::array<std::uint32_t, kBins> seen_{};
  std::uint64_t count_ = 0;
};

}  // namespace assay
