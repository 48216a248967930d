#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "harness/campaign/campaign.h"

namespace assay {

/// The result of a campaign as the versioned object of docs/formats.md.
nlohmann::ordered_json to_json(const CampaignResult& result, const CampaignRequest& request);

/// The result of a campaign for people: a table, or one for each notion, of verdicts, reasons,
/// states and traits by count; then rate and time.
std::string to_text(const CampaignResult& result, const CampaignRequest& request);

}  // namespace assay
