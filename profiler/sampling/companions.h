#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string_view>
#include <utility>

#include "profiler/sampling/canary.h"
#include "profiler/sampling/clock_ratio.h"
#include "profiler/sampling/samples.h"
#include "profiler/sampling/series_scatter.h"

namespace assay {

/// What became of a series of samples.
enum class SeriesFate {
  kTaken,      ///< it went into the estimate
  kDisturbed,  ///< the canary was slow, or a known ratio did not hold: the core was shared
  kPreempted,  ///< the system took the core away meanwhile, by its own count
};
std::string_view name(SeriesFate fate);

/// What the kernels that ran beside a block say about a series.
struct CompanionReport {
  SeriesFate fate = SeriesFate::kTaken;
  CyclesPerReading ratio;      ///< the ratio by this and the latest series
  CyclesPerReading own_ratio;  ///< the ratio by this series alone
  double ratio_error = 0;      ///< standard error of `ratio`, as a share of it
  double ratio_gain = 0;       ///< the weight of this series in `ratio`
  double cycles_per_nop = 0;   ///< the canary's rate
};

/// How finely readings resolve time.
struct ReadingStep {
  /// The steps of a reading that is the sum of `stamps` stamps of a clock that advances by `step`.
  explicit ReadingStep(Ticks step, int stamps = 1)
      : whole(step.count() * stamps), part(step.count()) {}

  Reading whole;  ///< a step of the clock as it shows in all stamps of a reading
  Reading part;   ///< a step of the clock as it shows in one stamp of a reading
};

/// Judges what runs beside the blocks, and goes on learning from block to block: the canary learns
/// from every series, the ratio from those that were not disturbed. What is known of the scatter of
/// series is kept here too, since it is the core's and the moment's.
class Companions {
 public:
  /// A series is disturbed if the canary is slower than undisturbed by more than
  /// `tolerated_slowdown` and two standard errors, by the scatter of readings where they scatter
  /// least.
  Companions(const ReadingStep& step, Canary canary, ClockRatio ratio, double tolerated_slowdown)
      : step_(step),
        canary_(std::move(canary)),
        ratio_(std::move(ratio)),
        tolerated_slowdown_(tolerated_slowdown) {}

  /// Judges a series by the companions' samples only.
  CompanionReport judge(const Samples& samples, bool preempted);

  const ReadingStep& step() const { return step_; }
  /// How many series were taken so far: of others, the clock's ratio does not learn.
  std::int64_t series_taken() const { return series_taken_; }
  const ClockRatio& ratio() const { return ratio_; }
  /// The slowdown of the canary at that rate: 0.5 means half as long again.
  double slowdown(double cycles_per_nop) const { return canary_.slowdown(cycles_per_nop); }
  /// By how much the core was slowed of late by what is tolerated in a single series: the median
  /// slowdown of the canary over the latest series that were not disturbed, which is far surer than
  /// that of a block's own few. 0 if it was not surely slower, or if there were too few.
  double tolerated_lately() const { return tolerated_lately_; }

  /// Takes over how series scatter, and nothing else. That is the median over many blocks, which
  /// one of them cannot move far.
  void take_scatter_of(const Companions& other) {
    value_scatter_ = other.value_scatter_;
    difference_scatter_ = other.difference_scatter_;
  }

  /// The scatter of series' values.
  SeriesScatter& value_scatter() { return value_scatter_; }
  /// The scatter of the differences between the first and the further copies within series.
  SeriesScatter& difference_scatter() { return difference_scatter_; }

 private:
  double usual_scatter(const SampleMean& canary);
  void learn_what_is_tolerated();

  static constexpr std::size_t kLatest = 128;  ///< in series
  /// After how many series what the latest ones show together is computed anew: it hardly changes
  /// from one to the next.
  static constexpr int kRefresh = 8;

  ReadingStep step_;
  Canary canary_;
  ClockRatio ratio_;
  double tolerated_slowdown_;
  std::deque<double> latest_;  ///< the canary's rate in the latest series that were taken
  /// The variance of the larger canary's readings within each of the latest series, taken or not.
  std::deque<double> latest_scatter_;
  std::int64_t series_taken_ = 0;
  int unsorted_ = 0;   ///< series since usual_scatter_ was computed
  int unlearned_ = 0;  ///< series since tolerated_lately_ was computed
  double usual_scatter_ = std::numeric_limits<double>::infinity();
  double tolerated_lately_ = 0;
  SeriesScatter value_scatter_;
  SeriesScatter difference_scatter_;
};

}  // namespace assay
