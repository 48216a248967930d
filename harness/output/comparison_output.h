#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/findings/campaign_difference.h"
#include "results/findings/comparison.h"
#include "results/store/campaign.h"

namespace assay {

/// A comparison with what it is of, for output.
struct ComparedCampaigns {
  struct Side {
    std::string store;  ///< path, as it was given
    Campaign campaign;
  };
  Side a, b;
  Comparison comparison;
};

/// The versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const ComparedCampaigns& compared);

/// The same as tables of at most 100 columns: longer texts are cut.
std::string to_text(const ComparedCampaigns& compared);

}  // namespace assay
