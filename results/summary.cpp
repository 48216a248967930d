#include "results/summary.h"

#include <SQLiteCpp/Database.h>

#include <nlohmann/json.hpp>

#include "results/known.h"
#include "results/query.h"

namespace assay {

std::int64_t Summary::count(Verdict verdict) const {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : by_reason) sum += info(reason).verdict == verdict ? count : 0;
  return sum;
}

std::int64_t Summary::total() const {
  std::int64_t sum = 0;
  for (const auto& [reason, count] : by_reason) sum += count;
  return sum;
}

Summary summarize(SQLite::Database& database, CampaignId campaign,
                  std::span<const std::string> corpora) {
  SQLite::Statement select(
      database,
      "SELECT reason, count(*) FROM measurement WHERE campaign = ?1 AND (?2 = '[]' OR EXISTS ("
      "SELECT 1 FROM source WHERE source.block = measurement.block "
      "AND corpus IN (SELECT value FROM json_each(?2)))) GROUP BY reason");
  const std::string wanted =
      nlohmann::json(std::vector<std::string>(corpora.begin(), corpora.end())).dump();
  Summary summary;
  for (Query row(select, static_cast<std::int64_t>(campaign), wanted); row.next();) {
    const std::string reason = row.text(0);
    summary.by_reason[known(reason_named(reason), reason)] = row.integer(1);
  }
  return summary;
}

}  // namespace assay
