#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "profiler/sampling/companions.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/round.h"

namespace assay {

/// A made-up core and clock, whose truth is known: a clock of 26-tick steps that is read at a
/// random phase, a fixed overhead, runs that an interrupt makes longer, and warm-up turns that take
/// twice as long as those that count.
class SyntheticMachine {
 public:
  static constexpr double kRatio = 1.421;  ///< core cycles per tick at the nominal frequency
  static constexpr Ticks kStep{26};
  static constexpr double kAdditionsPerCycle = 4;
  static constexpr SizesInCopies kSizes = {Copies(100), Copies(200), Copies(400)};

  /// Those that know the canary's peak.
  static Companions companions(double tolerated_slowdown) {
    return {ReadingStep(kStep), Canary(kAdditionsPerCycle), ClockRatio(), tolerated_slowdown};
  }

  /// What may change from series to series.
  struct Conditions {
    double cycles_per_copy = 2;
    double slow_copies = 0;          ///< so many of the first copies take twice as long
    double neighbour = 1;            ///< how many times as long the canary and the block take
    double frequency = 1;            ///< of the core, by the nominal one
    double series_deviation = 0;     ///< of each series' speed, a standard deviation as a share
    double interrupted_runs = 0.01;  ///< share of all runs
  };

  SyntheticMachine(Conditions conditions, unsigned seed) : conditions_(conditions), random_(seed) {}

  Conditions& conditions() { return conditions_; }

  /// The readings of so many rounds.
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
