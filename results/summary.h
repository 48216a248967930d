#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "profiler/block/verdict.h"
#include "results/campaign.h"

namespace assay {

/// What became of the blocks of a campaign: how many have each reason, reasons with none left out.
struct Summary {
  std::map<Reason, std::int64_t> by_reason;

  std::int64_t count(Verdict verdict) const;
  std::int64_t total() const;
};

/// Counts the campaign's measurements; with corpora, those of blocks that stand in one of them.
/// Throws SQLite::Exception, and InputError for a reason that assay does not know. For Store.
Summary summarize(SQLite::Database& database, CampaignId campaign,
                  std::span<const std::string> corpora);

}  // namespace assay
