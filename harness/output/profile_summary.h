#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/campaign/campaign.h"

namespace assay {

/// The versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const CampaignResult& result, const CampaignRequest& request);

/// The same as a table, or one for each notion: verdicts, reasons, states and traits by count; rate
/// and time.
std::string to_text(const CampaignResult& result, const CampaignRequest& request);

}  // namespace assay
