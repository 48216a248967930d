#pragma once

#include <string>
#include <vector>

#include "results/store/campaign.h"

namespace assay {

/// Something in which two campaigns differ.
struct CampaignDifference {
  std::string name;  ///< "kernel", "settings.sampling_budget_ms", "settings.nanobench.unroll", ...
  std::string a, b;  ///< the values as text; "absent" for a setting that a campaign does not have
};

/// All differences between two campaigns: in machine, environment, version of assay and every
/// setting. Empty for parts of one campaign in two stores. Throws InputError for settings that are
/// no JSON object.
std::vector<CampaignDifference> differences(const Campaign& a, const Campaign& b);

}  // namespace assay
