#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/clock_ratio.h"
#include "profiler/sampling/samples.h"

namespace assay {

/// What became of a series of samples.
enum class SeriesFate {
  kTaken,      ///< into the estimate
  kDisturbed,  ///< the canary was slow, or a known ratio did not hold: somebody else used the core
  kPreempted,  ///< the kernel took the core away meanwhile, by its own count
  kDrifted,    ///< the reference chain ran at another speed than before
};
std::string_view name(SeriesFate fate);

/// What the kernels that ran beside a block tell of a series.
struct CompanionReport {
  SeriesFate fate = SeriesFate::kTaken;
  CyclesPerReading ratio;          ///< by the latest series
  CyclesPerReading own_ratio;      ///< by this one alone
  double own_ratio_error = 0;      ///< its standard error, as a share of it
  double cycles_per_addition = 0;  ///< of the canary
};

/// How finely readings tell time.
struct ReadingStep {
  /// Of the sum of so many stamps of a clock that advances by `step`.
  explicit ReadingStep(Ticks step, int stamps = 1)
      : whole(step.count() * stamps), part(step.count()) {}

  Reading whole;  ///< a step of the clock, as it shows in all of a reading's stamps
  Reading part;   ///< as it shows in one of them
};

/// What runs beside the blocks, judged; it goes on learning from block to block. The canary learns
/// from every series, the ratio from those that were not disturbed.
class Companions {
 public:
  /// A series is disturbed if the canary is slower than undisturbed by more than
  /// `tolerated_slowdown` and two standard errors.
  Companions(const ReadingStep& step, Canary canary, ClockRatio ratio, double tolerated_slowdown)
      : step_(step),
        canary_(std::move(canary)),
        ratio_(std::move(ratio)),
        tolerated_slowdown_(tolerated_slowdown) {}

  /// Looks at the companions' samples only.
  CompanionReport judge(const Samples& samples, bool preempted);

  const ReadingStep& step() const { return step_; }
  const ClockRatio& ratio() const { return ratio_; }
  /// Of the canary at that rate; 0.5 means that it took half as long again.
  double slowdown(double cycles_per_addition) const {
    return canary_.slowdown(cycles_per_addition);
  }

 private:
  ReadingStep step_;
  Canary canary_;
  ClockRatio ratio_;
  double tolerated_slowdown_;
};

}  // namespace assay
