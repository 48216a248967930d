#pragma once

#include <string>
#include <vector>

#include "results/store/campaign.h"

namespace assay {

/// Something that is not the same of two campaigns.
struct CampaignDifference {
  std::string name;  ///< "kernel", "settings.sampling_budget_ms", "settings.nanobench.unroll", ...
  std::string a, b;  ///< as text; a setting that one of them does not have is "absent"
};

/// All that tells the campaigns apart: machine, environment, version of assay, every setting. Empty
/// for two stores' parts of one campaign. Throws InputError for settings that are no JSON object.
std::vector<CampaignDifference> differences(const Campaign& a, const Campaign& b);

}  // namespace assay
