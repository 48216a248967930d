#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "results/findings/comparison.h"
#include "results/store/campaign.h"

namespace assay {

/// A comparison with the campaigns that it is of, for output.
struct ComparedCampaigns {
  struct Side {
    std::string store;  ///< path, as it was given
    Campaign campaign;
  };
  Side a, b;
  Comparison comparison;
};

/// The comparison as the versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const ComparedCampaigns& compared);

/// The comparison as tables of at most 100 columns; longer texts are cut.
std::string to_text(const ComparedCampaigns& compared);

}  // namespace assay
