#pragma once

#include <cstdint>

#include "results/store/store.h"

namespace assay {

/// What came of the blocks that a campaign measured a second time (Store::put_repeat), all notions
/// together. Left out are those of which either outcome is not final: it says nothing of the block.
struct Agreement {
  std::int64_t blocks = 0;
  std::int64_t both_measured = 0;
  /// Of both_measured: intervals_meet().
  std::int64_t within_intervals = 0;
  std::int64_t other_verdict = 0;  ///< the second verdict is another than the first
  /// Of both_measured, |second - first| / first; 0 if there are none.
  double median_difference = 0;
  double largest_difference = 0;
};

/// Of a campaign. Throws as Store does.
Agreement recheck_agreement(Store& store, CampaignId campaign);

}  // namespace assay
