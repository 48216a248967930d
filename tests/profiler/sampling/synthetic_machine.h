#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "profiler/sampling/companions.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/round.h"

namespace assay {

/// A made-up core and clock whose true values are known. The clock has steps of 26 ticks and is
/// read at a random phase; runs have a fixed overhead; interrupts make some runs longer; warm-up
/// runs take twice as long as those that count.
class SyntheticMachine {
 public:
  static constexpr double kRatio = 1.421;  ///< core cycles per tick at the nominal frequency
  static constexpr Ticks kStep{26};
  static constexpr double kAdditionsPerCycle = 4;
  static constexpr SizesInCopies kSizes = {Copies(100), Copies(200), Copies(400)};

  /// Companions that know the canary's peak.
  static Companions companions(double tolerated_slowdown) {
    return {ReadingStep(kStep), Canary(kAdditionsPerCycle), ClockRatio(), tolerated_slowdown};
  }

  /// What may change from series to series.
  struct Conditions {
    double cycles_per_copy = 2;
    double slow_copies = 0;          ///< so many of the first copies take twice as long
    double neighbour = 1;            ///< factor by which a neighbour slows the canary and the block
    double frequency = 1;            ///< frequency of the core, divided by the nominal one
    double series_deviation = 0;     ///< standard deviation of the speed of series, as a share
    double interrupted_runs = 0.01;  ///< share of all runs
  };

  SyntheticMachine(Conditions conditions, unsigned seed) : conditions_(conditions), random_(seed) {}

  Conditions& conditions() { return conditions_; }

  /// The readings of a series of so many rounds.
  std::vector<std::uint32_t> series(const Round& round, int rounds);

 private:
  double cycles(const KernelRun& run) const;
  std::uint32_t read(double cycles);

  Conditions conditions_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_{0, 1};
  std::normal_distribution<double> normal_{0, 1};
};

}  // namespace assay
