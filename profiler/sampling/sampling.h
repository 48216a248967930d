#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "profiler/block/verdict.h"
#include "profiler/measurement/measurement.h"
#include "profiler/sampling/estimate.h"
#include "profiler/sampling/series_plan.h"
#include "profiler/sampling/series_point.h"

namespace assay {

/// Why sampling ended.
enum class SamplingEnd {
  kEnough,    ///< the samples are as good as asked for
  kUnsteady,  ///< the last copies surely take another time than those before
  kBudget,    ///< the time for a block is used up
  kHopeless,  ///< the time would be used up before the interval is narrow enough to be accepted
  kPatience,  ///< the core stayed disturbed for as long as may be waited
  kFault,     ///< the block faulted
};

/// What samples come to.
struct Evaluation {
  Estimate estimate;
  TimedRuns timed;
  std::optional<Steadiness> steadiness;  ///< nothing where a protocol does not look at it
  CyclesPerReading ratio;                ///< that readings were scaled by
  double slowdown = 0;                   ///< of the canary
};

/// The samples of one block under a protocol: what series they are taken in, when there are enough,
/// and what they mean.
class Sampling {
 public:
  virtual ~Sampling() = default;

  /// What each series consists of.
  virtual const SeriesPlan& series() const = 0;
  /// Takes a series in if nothing disturbed it. `readings`: round after round; none if they were
  /// lost with the core.
  virtual SeriesFate add_series(std::span<const std::uint32_t> readings, bool preempted) = 0;
  /// Why there need be no more series; nothing as long as there need. `spent`: on those that were
  /// taken in.
  virtual std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const = 0;
  /// Forgets what was taken in if it turned out to be disturbed as a whole. Whether it did.
  virtual bool start_over() { return false; }

  /// All series so far.
  virtual std::span<const SeriesPoint> points() const = 0;
  /// Nothing while there are too few samples.
  virtual std::optional<Evaluation> evaluate() const = 0;
  /// What the block comes to. `evaluation`: of these samples; `floor`: cycles that a copy takes at
  /// least, 0 if this core's limits are not known.
  virtual Outcome judge(const Evaluation& evaluation, double floor) const = 0;
  /// The same where there are too few samples, since the core stayed disturbed.
  virtual Outcome judge_too_few() const = 0;
};

}  // namespace assay
