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

  /// How a series' reference fits the latest series.
  enum class Fit {
    kGood,
    kOdd,      ///< it differs, as after an interrupt within it
    kChanged,  ///< it differs as those right before do: the frequency has changed
  };

  /// Takes in what a series showed of the reference at both sizes, if that differs from the latest
  /// series by no more than chance explains (five standard errors, or 0.5 %). If it does, twice in
  /// succession and each time alike, the frequency has changed: then all is forgotten, and the
  /// ratio begins anew with these two series. So it does with the latest eight series if they
  /// together differ from those before, which tells a step that single series are too noisy for. A
  /// ratio that is known stays as it is; the reference then only shows, within the same bounds,
  /// whether it holds.
  Fit add(const SampleMean& small, const SampleMean& large);

  /// Whether the ratio was known from the start.
  bool fixed() const { return fixed_.has_value(); }
  bool known() const { return fixed_ || !window_.empty(); }

  CyclesPerReading value() const;
  /// The standard error of value(), as a share of it.
  double relative_error() const;

  /// A correction of value() for some series, and the standard error of what it gives, as shares of
  /// value().
  struct Correction {
    double share = 0;
    double error = 0;
  };
  /// What the frequency was in `count` series whose own references together gave a ratio that
  /// differs from value() by `difference`, as a share. Over the latest series, the frequency
  /// differs from time to time; that variance is what is known before, and the scatter of single
  /// series says how sure the difference is: the correction is the mean of what both say, weighted
  /// by their inverse variances. A difference of more than three standard errors counts as sure:
  /// the frequency has changed since. A ratio that is known from the start needs none.
  Correction correction(double difference, std::size_t count) const;

 private:
  static constexpr std::size_t kWindow = 512;  ///< in series: some tens of milliseconds
  static constexpr std::size_t kGroup = 8;     ///< in series: about those of a block or two

  /// The difference between the sizes of the reference chain in one series.
  struct Difference {
    Reading mean;
    double variance;
  };
  static bool is_alike(const Difference& next, Reading mean, double variance);
  /// How the differences of some series scatter.
  struct Scatter {
    double mean = 0;
    double of_series = 0;    ///< variance of single series within groups of kGroup
    double of_groups = 0;    ///< variance of the groups' means
    std::size_t groups = 0;  ///< their number
  };
  Scatter scatter(std::size_t count) const;
  double mean_of(std::size_t first, std::size_t count) const;
  bool has_stepped() const;
  Reading mean_difference() const;
  double variance() const;  ///< variance of mean_difference()

  std::optional<CyclesPerReading> fixed_;
  std::deque<Difference> window_;
  std::optional<Difference> odd_;  ///< the latest series, if it was odd
};

}  // namespace assay
