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
#include "profiler/subject/fault.h"

namespace assay {

/// Why sampling ended.
enum class SamplingEnd {
  kEnough,    ///< the samples are as good as the settings ask for
  kUnsteady,  ///< the last copies take a different time from those before, surely or in doubt
  kBudget,    ///< the time for a block is used up
  kHopeless,  ///< the time would be used up without a value: too wide, or its steady state unknown
  kPatience,  ///< the core stayed disturbed for as long as the block may wait
  kFault,     ///< the block faulted
};

/// One series, as it was run.
struct SampledSeries {
  std::optional<subject::Fault> fault;      ///< if there is one, there are no readings
  std::span<const std::uint32_t> readings;  ///< by round; none if they were lost with the core
  bool preempted = false;                   ///< whether the subject lost the core meanwhile
  int retried = 0;  ///< how often data were brought in anew because they lay badly
};

/// What the samples of a block come to.
struct Evaluation {
  Estimate estimate;
  TimedRuns timed;
  std::optional<Steadiness> steadiness;     ///< nothing if the protocol does not look at it
  CyclesPerReading ratio;                   ///< the ratio that readings were scaled by
  double slowdown = 0;                      ///< slowdown of the canary
  int series = 0;                           ///< number of series that it rests on
  int left_out = 0;                         ///< and of those that were disturbed or far off
  bool has_states = false;                  ///< Estimator::has_states()
  std::vector<CodePlacement> placements{};  ///< Estimator::placements(), if the plan has places
};

/// Sampling of one block under a protocol: what its series consist of, when there are enough of
/// them, and what they mean.
class Sampling {
 public:
  virtual ~Sampling() = default;

  /// What each series consists of.
  virtual const SeriesPlan& series() const = 0;
  /// Takes in a series, which ended in no fault, if nothing disturbed it.
  virtual SeriesFate add_series(const SampledSeries& series) = 0;
  /// Why no more series are needed; nothing while they are. `spent` is the time of the series that
  /// were taken in.
  virtual std::optional<SamplingEnd> end(std::chrono::nanoseconds spent) const = 0;
  /// Forgets what was taken in if that turns out to be disturbed as a whole. Returns whether it
  /// did.
  virtual bool start_over() { return false; }

  /// The points of all series so far.
  virtual std::span<const SeriesPoint> points() const = 0;
  /// The evaluation of the samples; nothing while there are too few.
  virtual std::optional<Evaluation> evaluate() const = 0;
  /// The block's outcome. `evaluation` is that of these samples.
  virtual Outcome judge(const Evaluation& evaluation) const = 0;
  /// The block's outcome if there are too few samples because the core stayed disturbed.
  virtual Outcome judge_too_few() const = 0;
};

}  // namespace assay
