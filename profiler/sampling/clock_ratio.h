#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "profiler/sampling/samples.h"
#include "profiler/support/units.h"

namespace assay {

/// Core cycles in what readings count. Where that is not known it comes from the reference chain of
/// the latest series: the core's frequency changes rarely against the tens of microseconds that a
/// series takes, and the reference of one series alone, read by a coarse clock, is too noisy to
/// scale a value by.
class ClockRatio {
 public:
  /// `known`: nothing for a clock that has to be calibrated (Clock::cycles_per_tick).
  explicit ClockRatio(std::optional<CyclesPerReading> known = std::nullopt) : fixed_(known) {}

  /// Takes in what a series showed of the reference at both sizes, unless it differs from the
  /// latest ones by more than chance explains (five standard errors, and 0.5 %): the frequency has
  /// changed then, all is forgotten, and the ratio begins anew with this series. Whether it was
  /// taken in without such a change. A ratio that is known stays as it is; the reference then only
  /// shows whether it holds, to the same bounds.
  bool add(const SampleMean& small, const SampleMean& large);

  /// Whether it was known from the start.
  bool fixed() const { return fixed_.has_value(); }
  bool known() const { return fixed_ || !window_.empty(); }

  CyclesPerReading value() const;
  /// Standard error of value() as a share of it.
  double relative_error() const;

 private:
  static constexpr std::size_t kWindow = 128;  ///< series: some tens of milliseconds

  /// Between the sizes of the reference chain, in a series.
  struct Difference {
    Reading mean;
    double variance;
  };
  Reading mean_difference() const;
  double variance() const;  ///< of mean_difference()

  std::optional<CyclesPerReading> fixed_;
  std::deque<Difference> window_;
};

}  // namespace assay
