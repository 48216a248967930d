#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "profiler/sampling/samples.h"
#include "profiler/support/units.h"

namespace assay {

/// How many core cycles one unit of a reading is. If that is not known, it comes from the reference
/// chain in the latest series: the core's frequency rarely changes within the tens of microseconds
/// that a series takes, and the reference in a single series, read by a coarse clock, is too noisy
/// to scale a value by.
class ClockRatio {
 public:
  /// `known` is the ratio (Clock::cycles_per_tick); nothing for a clock that has to be calibrated.
  explicit ClockRatio(std::optional<CyclesPerReading> known = std::nullopt) : fixed_(known) {}

  /// Takes in what a series showed of the reference at both sizes, and returns whether it fits the
  /// latest series. If it differs from them by more than chance explains (five standard errors, and
  /// 0.5 %), the frequency has changed: then all is forgotten, and the ratio begins anew with this
  /// series. A ratio that is known stays as it is; the reference then only shows, within the same
  /// bounds, whether it holds.
  bool add(const SampleMean& small, const SampleMean& large);

  /// Whether the ratio was known from the start.
  bool fixed() const { return fixed_.has_value(); }
  bool known() const { return fixed_ || !window_.empty(); }

  CyclesPerReading value() const;
  /// The standard error of value(), as a share of it.
  double relative_error() const;

 private:
  static constexpr std::size_t kWindow = 128;  ///< in series: some tens of milliseconds

  /// The difference between the sizes of the reference chain in one series.
  struct Difference {
    Reading mean;
    double variance;
  };
  Reading mean_difference() const;
  double variance() const;  ///< variance of mean_difference()

  std::optional<CyclesPerReading> fixed_;
  std::deque<Difference> window_;
};

}  // namespace assay
