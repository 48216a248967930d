#pragma once

#include <cstdint>

#include "results/store/store.h"

namespace assay {

/// How the rechecks of a campaign (Store::put_recheck) agree with the first measurements, all
/// notions together. A pair in which either outcome is not settled is left out, since such an
/// outcome says nothing of the block.
struct Agreement {
  std::int64_t blocks = 0;
  std::int64_t both_measured = 0;
  /// How many of both_measured have intervals that meet (intervals_meet()).
  std::int64_t within_intervals = 0;
  std::int64_t other_verdict = 0;  ///< the second verdict differs from the first
  /// Median and maximum of |second - first| / first over both_measured; 0 if there are none.
  double median_difference = 0;
  double largest_difference = 0;
};

/// The agreement of a campaign's rechecks. Throws as Store does.
Agreement recheck_agreement(Store& store, CampaignId campaign);

}  // namespace assay
