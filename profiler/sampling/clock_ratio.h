#pragma once

#include <deque>
#include <optional>

#include "profiler/sampling/samples.h"
#include "profiler/support/units.h"

namespace assay {

/// How many core cycles one unit of a reading is. If that is not known, it comes from the reference
/// chain in each series, and follows it: a core's frequency may stay the same for minutes, or
/// wander by some per cent within milliseconds. The reference in a single series, read by a coarse
/// clock, is noisy, so that the ratio is a mean over as many of the latest series as the frequency
/// allows: the level of a local-level model, by a Kalman filter (Harvey, "Forecasting, Structural
/// Time Series Models and the Kalman Filter", 1989, chapter 4).
class ClockRatio {
 public:
  /// `known` is the ratio (Clock::cycles_per_tick); nothing for a clock that has to be calibrated.
  explicit ClockRatio(std::optional<CyclesPerReading> known = std::nullopt);

  /// Takes in what a series showed of the reference at both sizes, and returns true, if that is
  /// within four and a half standard errors of what the latest series foretell. If it is not, there
  /// was an interrupt in it, or the frequency has changed: that is believed if the next series
  /// shows the same, or if the latest four or eight do together. A ratio that is known stays as it
  /// is; then the result is whether the reference agrees with it, within five standard errors of
  /// its own, or 0.5 %.
  bool add(const SampleMean& small, const SampleMean& large);

  bool known() const { return fixed_ || seen_ > 0; }

  /// The ratio in the latest series.
  CyclesPerReading value() const;
  /// The standard error of value(), as a share of it.
  double relative_error() const;
  /// The usual variance of the reference's difference in a series, by its scatter there.
  double usual_noise() const { return own_noise_; }
  /// The weight, up to 1, that the latest series has in value(). The errors of series in succession
  /// are about the same if it is small, and independent if it is 1.
  double gain() const { return gain_; }

 private:
  /// What a series was off by from what was foretold.
  struct Innovation {
    double difference;  ///< between the sizes of the reference, in readings
    double noise;       ///< variance of it
    double errors;      ///< by how many standard errors it was off
  };
  bool learn(double difference, double variance);
  void note(const Innovation& innovation);
  void begin_at(double level, double variance);
  void learn_scatter(double difference);

  std::optional<CyclesPerReading> fixed_;
  long seen_ = 0;     ///< number of series
  double level_ = 0;  ///< the difference between the sizes of the reference, in readings
  double level_variance_ = 0;
  double gain_ = 0;
  double own_noise_ = 0;  ///< variance of a series' difference, by the scatter within series
  double scatter_ = 0;    ///< the same, by the scatter from series to series
  double wander_ = 0;     ///< variance by which the frequency moves it from series to series
  std::optional<double> before_;  ///< the difference of the series before
  double squared_changes_ = 0;    ///< mean of the squared differences of series in succession
  long changes_ = 0;              ///< number of these differences
  std::deque<Innovation> latest_;
  std::optional<double> odd_;  ///< the difference of the latest series, if it was not taken in
  // The present group of series, and the one before: how much their means differ shows the wander.
  int grouped_ = 0;
  double group_sum_ = 0;
  std::optional<double> group_before_;
  double squared_steps_ = 0;  ///< mean of the squared differences of groups in succession
  long steps_ = 0;            ///< number of these differences
};

}  // namespace assay
