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

/// Numbers of outcomes; zeros are left out.
struct Tally {
  std::map<Reason, std::int64_t> by_reason;
  std::int64_t unsettled = 0;  ///< outcomes that another visit may change (Measurement::settled)
  std::map<Trait, std::int64_t> by_trait;  ///< of measured blocks; a block may have several traits
  /// Of measured blocks, by the profile of the initial state alone, since there may be as many
  /// states as blocks.
  std::map<std::string, std::int64_t> by_initial_state;

  std::int64_t count(Verdict verdict) const;
  std::int64_t total() const;
};

/// What became of the blocks of a campaign, under all notions together and under each notion.
struct Summary : Tally {
  std::int64_t blocks = 0;  ///< distinct blocks, of which each has one outcome for each notion
  std::map<Notion, Tally> by_notion;
};

/// Counts the campaign's outcomes. If corpora are given, only outcomes of blocks that stand in one
/// of them count; if notions are given, only outcomes under one of them. Throws as Store does, and
/// InputError for a word that assay does not know.
Summary summarize(Store& store, CampaignId campaign, std::span<const std::string> corpora = {},
                  std::span<const Notion> notions = {});

}  // namespace assay
