#include "results/findings/summary.h"

#include <SQLiteCpp/Database.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "results/store/query.h"

namespace assay {
namespace {

/// The measurements that are counted. ?2 and ?3 are JSON arrays of names; an empty one means any.
constexpr const char* kCounted =
    " FROM measurement WHERE campaign = ?1 "
    "AND (?2 = '[]' OR EXISTS (SELECT 1 FROM source WHERE source.block = measurement.block "
    "AND corpus IN (SELECT value FROM json_each(?2)))) "
    "AND (?3 = '[]' OR notion IN (SELECT value FROM json_each(?3)))";

/// An SQL expression for the profile of the initial state: the first word of its text.
constexpr const char* kProfile = "substr(initial_state, 1, instr(initial_state || ' ', ' ') - 1)";

/// What a group of measurements has in common.
struct Kind {
  Notion notion;
  Reason reason;
  Traits traits;
  std::string profile;  ///< of the initial state
  bool settled;
};

Kind kind_of(const Query& row) {
  return {known<Notion>(row.text(0)), known<Reason>(row.text(1)), known<Traits>(row.text(2)),
          row.text(3), row.integer(4) != 0};
}

void add(Tally& tally, const Kind& kind, std::int64_t count) {
  tally.by_reason[kind.reason] += count;
  if (!kind.settled) tally.unsettled += count;
  if (kind.reason != Reason::kNone) return;
  tally.by_initial_state[kind.profile] += count;
  for (int i = 0; i < kTraits; ++i) {
    const auto trait = static_cast<Trait>(i);
    if (kind.traits.has(trait)) tally.by_trait[trait] += count;
  }
}

}  // namespace

std::int64_t Tally::count(Verdict verdict) const {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : by_reason) sum += info(reason).verdict == verdict ? count : 0;
  return sum;
}

std::int64_t Tally::total() const {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : by_reason) sum += count;
  return sum;
}

Summary summarize(Store& store, CampaignId campaign, std::span<const std::string> corpora,
                  std::span<const Notion> notions) {
  const auto id = static_cast<std::int64_t>(campaign);
  const std::string in_corpora =
      nlohmann::json(std::vector<std::string>(corpora.begin(), corpora.end())).dump();
  nlohmann::json names = nlohmann::json::array();
  for (const Notion notion : notions) names.push_back(name(notion));
  const std::string under_notions = names.dump();

  Summary summary;
  store.query([&](SQLite::Database& database) {
    SQLite::Statement groups(database,
                             fmt::format("SELECT notion, reason, traits, {} AS profile, settled, "
                                         "count(*){} GROUP BY notion, reason, traits, profile, "
                                         "settled",
                                         kProfile, kCounted));
    for (Query row(groups, id, in_corpora, under_notions); row.next();) {
      const Kind kind = kind_of(row);
      add(summary, kind, row.integer(5));
      add(summary.by_notion[kind.notion], kind, row.integer(5));
    }
    SQLite::Statement blocks(database, fmt::format("SELECT count(DISTINCT block){}", kCounted));
    Query row(blocks, id, in_corpora, under_notions);
    if (row.next()) summary.blocks = row.integer(0);
  });
  return summary;
}

}  // namespace assay
