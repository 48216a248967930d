#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "profiler/block/traits.h"
#include "profiler/block/verdict.h"
#include "profiler/measurement/measurement.h"
#include "results/store/store.h"

namespace assay {

/// How many outcomes have what; what none has is left out.
struct Tally {
  std::map<Reason, std::int64_t> by_reason;
  std::map<Trait, std::int64_t> by_trait;  ///< of measured blocks; one may have several
  /// Of measured blocks, by the profile of the state alone: states of their own may be as many as
  /// the blocks.
  std::map<std::string, std::int64_t> by_initial_state;

  std::int64_t count(Verdict verdict) const;
  std::int64_t total() const;
};

/// What became of the blocks of a campaign, under all notions together and under each.
struct Summary : Tally {
  std::int64_t blocks = 0;  ///< distinct ones: a block has one outcome for each notion
  std::map<Notion, Tally> by_notion;
};

/// Counts the campaign's outcomes; with corpora, those of blocks that stand in one of them; with
/// notions, those under one of them. Throws as Store does, and InputError for a word that assay
/// does not know.
Summary summarize(Store& store, CampaignId campaign, std::span<const std::string> corpora = {},
                  std::span<const Notion> notions = {});

}  // namespace assay
