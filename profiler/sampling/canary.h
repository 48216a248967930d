#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "profiler/block/block.h"
#include "profiler/support/units.h"

namespace assay {

/// The canary: NOPs, which a core delivers and retires at its full width and does nothing else
/// with. Threads of one core share that width. So a neighbour on the core (the SMT sibling, which
/// may be another guest's) slows the canary by what it executes itself, whatever that is: one that
/// takes half of the core doubles its time (Zen 5: 4 NOPs a cycle instead of 8), and one that
/// leaves it alone within 2 % executes hardly an instruction in six cycles. A latency chain does
/// not notice either, and additions, of which a core does fewer in a cycle, much less. So the
/// canary runs in every round, beside the block. `nop_bytes`: the length of its NOPs, 3 to 6; which
/// the core delivers at full width is in profiler/machine/limits.cpp.
Block canary_block(int nop_bytes);

inline constexpr int kUsualNopBytes = 6;  ///< where nothing is known of the core

inline constexpr std::int64_t kCanaryNops = 6;  ///< NOPs in one copy

/// Copies of the canary in its smaller and in its larger kernel, whose copies fit within one page.
inline constexpr Copies kCanarySmallCopies{10};
inline constexpr Copies kCanaryLargeCopies{110};
inline constexpr Copies kCanaryMiddleCopies{60};  ///< half-way (kReferenceMiddleCopies)
/// The most that the canary may bend (running/code_pages.h), in either direction: some of its
/// micro-ops wait in a queue, so that copies take only about as long as each other.
inline constexpr double kMostCanaryBend = 0.1;
/// How many more NOPs the larger kernel has.
inline constexpr std::int64_t kCanaryDifference =
    kCanaryNops * (kCanaryLargeCopies - kCanarySmallCopies).count();

/// Judges by the canary's rate whether the core was undisturbed.
class Canary {
 public:
  /// `nops_per_cycle` is what a core of this kind is known to reach when it is left alone; nothing
  /// if that is not known. The peak is learned: it is the mean of the observations up to 5 % from
  /// the rate that a tenth of all reached. That works as long as the core is left alone for a
  /// tenth of the time. Observations that are slower than what is known by more than the share
  /// `leeway` are not learned from; until there are others, the peak is what is known. Without
  /// leeway it stays that.
  explicit Canary(std::optional<double> nops_per_cycle, double leeway = 0);

  /// Learns the rate that a series showed, in core cycles per NOP. Four series in a row make one
  /// observation: the fastest tenth of single series would be the luckiest tenth.
  void learn(double cycles_per_nop);

  /// How much slower the canary was than on an undisturbed core: 0.5 means half as long again. May
  /// be below 0 by chance. `cycles_per_nop` must be above 0.
  double slowdown(double cycles_per_nop) const { return cycles_per_nop / peak_ - 1; }

  /// The core cycles that a NOP takes on an undisturbed core, as far as is known.
  double peak() const { return peak_; }
  /// How unsure the peak is, as a share of it: by how much the fastest tenth of the observations
  /// was faster. 0 if nothing was learned.
  double peak_scatter() const { return scatter_; }

 private:
  // The bins reach from 0 to 1 cycle per NOP, in steps of 0.4 % of an eighth of a cycle.
  static constexpr double kBin = 0.0005;
  static constexpr std::size_t kBins = 2000;

  static constexpr int kSeriesInObservation = 4;

  void learn_peak();

  double slowest_;  ///< what is not faster is not learned from; 0: nothing is
  double peak_;
  double scatter_ = 0;
  double sum_ = 0;  ///< sum over the observation in progress
  int summed_ = 0;
  std::array<std::uint32_t, kBins> seen_{};
  std::uint64_t count_ = 0;
};

}  // namespace assay
