#pragma once

#include <cstddef>
#include <deque>

#include "profiler/support/statistics.h"

namespace assay {

/// By how much series differ more from each other than the scatter of the readings within them lets
/// expect. What a series shares, such as the state of a predictor, differs from one to the next; on
/// the same core, at about the same time, it adds much the same share for most blocks. So the few
/// series of a block need not show their own variance all by themselves. What is known from other
/// blocks counts as kFreedom degrees of freedom: the ratios of variances of 2,300 visits to code of
/// sqlite were distributed as if each block had a variance of its own, known as well as that
/// (Granite Rapids: of 3,200 first quadruples of series, one in twenty had more than 4.5 times the
/// variance of its readings; F with 3 and 8 degrees of freedom has 4.1, with 3 and infinitely many
/// 2.6).
class SeriesScatter {
 public:
  static constexpr std::size_t kFreedom = 8;

  /// Takes in what the first series of a sampling showed: their variance, with so many degrees of
  /// freedom, and the one that their readings let expect, which must be above 0 to count.
  void learn(double variance, std::size_t freedom, double expected);

  /// What is known of the variance of a block's series whose readings let expect `expected`;
  /// nothing before there were enough.
  VariancePrior prior(double expected) const;
  /// The degrees of freedom that a prior has now: kFreedom, or 0.
  std::size_t freedom() const { return latest_.size() < kFewest ? 0 : kFreedom; }

 private:
  static constexpr std::size_t kFewest = 16;   ///< in samplings
  static constexpr std::size_t kLatest = 128;  ///< likewise

  /// Variances as multiples of what was expected, and of what the median of F would be.
  std::deque<double> latest_;
  double usual_ = 0;  ///< their median, if there are enough
};

}  // namespace assay
